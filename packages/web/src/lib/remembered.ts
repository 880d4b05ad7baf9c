/** More than a panel shows at once; then it begins anew. */
const KEPT_MAX = 500;

/** A way to write a text that is asked for the same ones in every frame: each is written once. */
export function remembered(write: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const written = write(text);
    if (known.size >= KEPT_MAX) known.clear();
    known.set(text, written);
    return written;
  };
}
