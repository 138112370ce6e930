/* A line on the terminal that says how far the work is, while it goes on. */
#ifndef DEMO_PROGRESS_H
#define DEMO_PROGRESS_H

/* Writes the line to stderr over the one before; writes nothing where stderr is not a terminal. */
__attribute__((format(printf, 1, 2))) void progress_show(const char *format, ...);

/* Removes the line. To be called before other output. */
void progress_clear(void);

#endif
