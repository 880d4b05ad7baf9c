/** Empties a field whose text was sent; what was typed since is the next one, and stays. */
export function emptied(sent: string): (now: string) => string {
  return (now) => (now === sent ? '' : now);
}
