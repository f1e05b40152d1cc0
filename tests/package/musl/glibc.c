/* Bun for musl wants a libstdc++. Debian's runs on musl too where somebody has the few functions that it expects of
 * glibc. Built as the loader of glibc, which Debian's libraries name as one of theirs and musl has not. */
#include <locale.h>
#include <stdint.h>
#include <sys/random.h>
#include <time.h>

char __libc_single_threaded = 0;
struct {
  unsigned vendor, type, subtype, features[1];
} __cpu_model;
int __cpu_indicator_init(void) { return 0; }
int _dl_find_object(void *address, void *found) { return (void)address, (void)found, -1; }
int __cxa_thread_atexit_impl(void (*end)(void *), void *object, void *library) {
  return (void)end, (void)object, (void)library, 0;
}
uint32_t arc4random(void) {
  uint32_t number = 0;
  return getrandom(&number, sizeof number, 0) < 0 ? 4 : number;
}
size_t __strftime_l(char *out, size_t size, const char *format, const struct tm *time, locale_t locale) {
  return strftime_l(out, size, format, time, locale);
}
