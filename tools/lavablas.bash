# Completion of lavablas's commands, options and their values for bash. Installed as
# share/bash-completion/completions/lavablas.

_lavablas_programs() {
    mapfile -t COMPREPLY < <(compgen -c -- "$1")
}

_lavablas_files() {
    mapfile -t COMPREPLY < <(compgen -f -- "$1")
    compopt -o filenames 2>/dev/null
}

_lavablas_words() { # _lavablas_words TYPED WORD...
    local typed=$1
    shift
    mapfile -t COMPREPLY < <(compgen -W "$*" -- "$typed")
}

# The index of the first word behind run's options, which is the program; nothing if there is none yet.
_lavablas_program_index() {
    local i
    for ((i = 2; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        --) echo $((i + 1)); return ;;
        --mode | --device | --precision | --trace | --output | --profile) i=$((i + 1)) ;;
        -*) ;;
        *) echo "$i"; return ;;
        esac
    done
}

_lavablas_run() {
    local typed=$1 program
    program=$(_lavablas_program_index)
    if [[ -n $program ]] && ((COMP_CWORD > program)); then
        if declare -F _command_offset >/dev/null; then
            _command_offset "$program" # the program's own completion
        else
            _lavablas_files "$typed"
        fi
    elif [[ $typed == -* && -z $program ]]; then
        _lavablas_words "$typed" --mode --device --precision --trace --profile --compare --details --stats --json --output --help --
    else
        _lavablas_programs "$typed"
    fi
}

_lavablas() {
    local typed=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        _lavablas_words "$typed" run report top info doctor explain calibrate bench verify replay device kernels profiles --help --version
        return
    fi
    if [[ $command == run && -n $(_lavablas_program_index) ]]; then
        _lavablas_run "$typed"
        return
    fi
    case $before in
    --mode) _lavablas_words "$typed" auto cpu gpu; return ;;
    --precision) _lavablas_words "$typed" ieee standard fast; return ;;
    --type) [[ $command == verify ]] && _lavablas_words "$typed" fp32 fp64 fp16 bf16 && return ;;&
    --type | --c-type) _lavablas_words "$typed" fp32 fp64 fp16 bf16 cfp32 cfp64; return ;;
    --profile) _lavablas_words "$typed" list H200 RDNA3 RDNA4 Turing Ampere; return ;;
    --ops) _lavablas_words "$typed" NN NT TN TT; return ;;
    --trace | --output | --library | --root | --png) _lavablas_files "$typed"; return ;;
    --device | --seconds | --warmup | --sizes | --routine | --top) return ;;
    esac
    case $command in
    run) _lavablas_run "$typed" ;;
    report) if [[ $typed == -* ]]; then _lavablas_words "$typed" --details --stats --json --settle --help; else _lavablas_files "$typed"; fi ;;
    top) _lavablas_words "$typed" --once --stats --help ;;
    doctor) _lavablas_words "$typed" --json --root --help; [[ $typed == -* ]] || _lavablas_programs "$typed" ;;
    explain) _lavablas_words "$typed" --plan --json --from --precision --stays --profile --type --c-type --help sgemm dgemm cgemm zgemm dsyrk dpotrf dgetrf dgesv dgeqrf ;;
    calibrate) _lavablas_words "$typed" --seconds --quick --show --import --system --force --json --help ;;
    bench) _lavablas_words "$typed" --library --routine --sizes --ops --seconds --warmup --csv --json --png --help ;;
    verify) _lavablas_words "$typed" --type --json --help ;;
    replay) if [[ $typed == -* ]]; then _lavablas_words "$typed" --library --seconds --top --profile --json --help; else _lavablas_files "$typed"; fi ;;
    info | device | kernels | profiles) _lavablas_words "$typed" --json --help ;;
    esac
}

complete -F _lavablas lavablas
