/**
 * Memory that does not count towards garbage collection. After about 64 MB of ordinary buffers, the collector would
 * search all memory of the thread, which takes more than a second in a large venue, to free memory that it does not
 * manage. Shared memory is exempt, and this is not shared.
 */
export function uncounted(bytes: number): SharedArrayBuffer {
  return new SharedArrayBuffer(bytes);
}
