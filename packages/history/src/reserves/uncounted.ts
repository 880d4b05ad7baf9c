/**
 * Room that the collector of garbage does not count as its own. From some 64 MB of ordinary buffers on
 * it would walk through everything that the thread holds, which for a large venue takes a second and
 * more, to make room for what is not its to free. Shared memory is left out of that, and nobody shares
 * this.
 */
export function uncounted(bytes: number): SharedArrayBuffer {
  return new SharedArrayBuffer(bytes);
}
