/** *oddlot*, the second half in the accent. */
export function Wordmark() {
  return (
    <span className="text-15 font-bold tracking-tight">
      odd<span className="text-accent">lot</span>
    </span>
  );
}
