/* What the factorizations of a panel in one dispatch have in common: lu_panel.comp and qr_panel.comp. Included after
 * at(), PANEL, COPIES and HEAD_WORDS.
 *
 *   workgroup    INVOCATIONS rows; one workgroup has all rows, or (-DLAVA_GRID) all workgroups run at the same time
 *   invocation   a row, in registers from the first column to the last
 *
 * The row's element of the next column is always x[0]. A step moves the others one place forwards, and x[0] to the end.
 *
 * Workgroups exchange words of 64 bits: 32 bits of data, and a tag for the step. An invocation that wants a word reads
 * it until it has the tag. So no word depends on another one, and no order of writes is assumed. Steps write two halves
 * of the scratch in turn. If the tag does not come after constants.polls reads, the workgroup gives up.
 *
 * Either all workgroups write their rows, or none. `verdict` is the number of panels that were written. The last
 * workgroup to finish raises it; one that gives up sets it to ABORTED for good. It changes once in a panel, and until
 * then nobody writes. */
const uint ELEMENT_WORDS = ELEMENT_BYTES / 4;
const uint ROW_WORDS = PANEL * ELEMENT_WORDS;

#ifdef LAVA_FP64
#define WORD_OF(number, i) unpackDouble2x32(number)[i]
#define NUMBER_AT(words, i) packDouble2x32(uvec2((words)[i], (words)[(i) + 1]))
const uint NUMBER_WORDS = 2;
#else
#define WORD_OF(number, i) floatBitsToUint(number)
#define NUMBER_AT(words, i) uintBitsToFloat((words)[i])
const uint NUMBER_WORDS = 1;
#endif
#ifdef LAVA_COMPLEX
#define NUMBER_OF(z, i) (z)[i]
#define ELEMENT_AT(words, i) ELEMENT(NUMBER_AT(words, i), NUMBER_AT(words, (i) + NUMBER_WORDS))
#else
#define NUMBER_OF(z, i) (z)
#define ELEMENT_AT(words, i) NUMBER_AT(words, i)
#endif
/* Word w of an element, or of row x, and element i of a copy. */
#define ELEMENT_WORD(z, w) WORD_OF(NUMBER_OF(z, (w) / NUMBER_WORDS), (w) % NUMBER_WORDS)
#define ROW_WORD(w) ELEMENT_WORD(x[(w) / ELEMENT_WORDS], (w) % ELEMENT_WORDS)
#define COPIED(copy, i) ELEMENT_AT(copies, (copy) + (i) * ELEMENT_WORDS)

shared uint copies[COPIES * ROW_WORDS];

ELEMENT x[PANEL];
uint lane, lanes; /* of the subgroup */

void read_row(uint row)
{
    [[unroll]] for (uint i = 0; i < PANEL; i++) /* the last one again if there are fewer; they are not written */
        x[i] = at(min(row, constants.rows - 1), min(i, constants.columns - 1)).element;
}

/* The column of x[i] after the last step. */
uint final_column(uint i) { return (i + constants.columns) % PANEL; }

void copy_row(uint copy)
{
    [[unroll]] for (uint w = 0; w < ROW_WORDS; w++)
        copies[copy + w] = ROW_WORD(w);
}

#ifdef LAVA_GRID

layout(buffer_reference, std430, buffer_reference_align = 8) nonprivate buffer Exchange { uint64_t word; };
layout(buffer_reference, std430, buffer_reference_align = 8) nonprivate buffer State { uint verdict, finished; };

const uint SLOT_BYTES = 8 * (HEAD_WORDS + ROW_WORDS);
const uint ABORTED = 0xffffffffu;
const uint LOOK = 256; /* reads after which a workgroup looks whether another one has given up */

shared uint has_given_up[2]; /* in the first and in the second wait of a step */
shared bool is_written;

/* The slot of a workgroup; that of workgroup gl_NumWorkGroups.x has row e. */
uint64_t slot_of(uint e, uint group)
{
    return constants.work + LAVA_PANEL_STATE_BYTES + (e % 2 * (gl_NumWorkGroups.x + 1) + group) * SLOT_BYTES;
}

uint tag_of(uint e) { return constants.panel * PANEL + e + 1; }

void send(uint64_t slot, uint i, uint tag, uint data)
{
    atomicStore(Exchange(slot + 8 * i).word, packUint2x32(uvec2(data, tag)), gl_ScopeQueueFamily, 0,
                gl_SemanticsRelaxed);
}

/* A word's data and its tag. */
uvec2 receive(uint64_t slot, uint i)
{
    return unpackUint2x32(atomicLoad(Exchange(slot + 8 * i).word, gl_ScopeQueueFamily, 0, gl_SemanticsRelaxed));
}

void send_row(uint64_t slot, uint tag)
{
    [[unroll]] for (uint w = 0; w < ROW_WORDS; w++)
        send(slot, HEAD_WORDS + w, tag, ROW_WORD(w));
}

/* Copies a row, as far as it came. Returns whether it has. */
bool receive_row(uint64_t slot, uint tag, uint copy)
{
    bool came = true;
    for (uint w = gl_LocalInvocationIndex; w < ROW_WORDS; w += INVOCATIONS) {
        uvec2 word_ = receive(slot, HEAD_WORDS + w);
        copies[copy + w] = word_.x;
        came = came && word_.y == tag;
    }
    return came;
}

uint verdict() { return atomicLoad(State(constants.work).verdict, gl_ScopeQueueFamily, 0, gl_SemanticsRelaxed); }

bool gives_up(uint polls)
{
    return polls >= constants.polls || (polls % LOOK == LOOK - 1 && verdict() == ABORTED);
}

/* Sets is_written, when it is decided. */
void decide(bool has_finished)
{
    State state = State(constants.work);
    uint now = constants.panel, polls = 0;
    if (has_finished && atomicAdd(state.finished, 1, gl_ScopeQueueFamily, 0, gl_SemanticsRelaxed) + 1 ==
                            gl_NumWorkGroups.x) {
        atomicStore(state.finished, 0u, gl_ScopeQueueFamily, 0, gl_SemanticsRelaxed); /* for the next panel */
        atomicCompSwap(state.verdict, constants.panel, constants.panel + 1u, gl_ScopeQueueFamily, 0,
                       gl_SemanticsRelaxed, 0, gl_SemanticsRelaxed);
    }
    while (now == constants.panel) {
        if (!has_finished || polls++ >= constants.polls)
            atomicCompSwap(state.verdict, constants.panel, ABORTED, gl_ScopeQueueFamily, 0, gl_SemanticsRelaxed, 0,
                           gl_SemanticsRelaxed);
        now = verdict();
    }
    is_written = now != ABORTED;
}

bool all_finish(bool has_finished)
{
    if (gl_LocalInvocationIndex == 0)
        decide(has_finished);
    barrier();
    return is_written;
}

/* Clears the scratch for the first panel: that many words. */
void clear()
{
    for (uint i = gl_GlobalInvocationID.x; i < constants.rows; i += gl_NumWorkGroups.x * INVOCATIONS)
        Exchange(constants.work + 8 * i).word = 0;
}

#else

bool all_finish(bool has_finished) { return true; }

#endif

/* Reads the row. Returns false if there is no panel, but the scratch was cleared. */
bool begin(uint row)
{
#ifdef LAVA_GRID
    if (constants.columns == 0) {
        clear();
        return false;
    }
    if (gl_LocalInvocationIndex < 2)
        has_given_up[gl_LocalInvocationIndex] = 0;
#endif
    lane = subgroupExclusiveAdd(1);
    lanes = subgroupAdd(1);
    read_row(row);
    return true;
}
