/* What a process tells of itself at exit when LAVABLAS_STATS is set: the summary of lib/base/stats, or, if
 * the setting is a path that ends in ".json", a report as one line of JSON. `lavablas run` reads the report.
 * Any thread may call these functions. */
#ifndef LAVA_BASE_REPORT_H
#define LAVA_BASE_REPORT_H

/* Facts that other parts of the library know. */
enum lava_report_fact {
    LAVA_REPORT_CPU_BLAS,  /* the path of the library */
    LAVA_REPORT_DEVICE,    /* the name of the device that is used */
    LAVA_REPORT_NO_DEVICE, /* why none is */
    LAVA_REPORT_FIGURES,   /* "measured" or "starting values": what the estimates are made of */
    LAVA_REPORT_HISTORY,   /* which rule the process follows (dispatch/history.h) */
    LAVA_REPORT_FACTS
};
/* Keeps the pointer; the text must never change. The last one counts. */
void lava_report_note(enum lava_report_fact fact, const char *text);

/* Registers what is told at exit, if the configuration asks for it. lib/offload/offload calls it once. */
void lava_report_install(void);
/* Tells it now, if the configuration asks for it. exit() calls this; so does a process that ends without
 * exit(). */
void lava_report_print(void);
/* The library's last act: a process without a call that was counted reports itself, too. Without a setting
 * that asks for a report this does nothing but look for it. */
void lava_report_end(void);

#endif
