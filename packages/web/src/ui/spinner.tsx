/** Something is under way. What it is stands beside it. */
export function Spinner() {
  return (
    <svg viewBox="0 0 16 16" className="turning size-3.5 shrink-0" aria-hidden="true">
      <circle
        cx="8"
        cy="8"
        r="6"
        fill="none"
        stroke="currentColor"
        strokeOpacity="0.25"
        strokeWidth="2"
      />
      <path d="M8 2a6 6 0 0 1 6 6" fill="none" stroke="currentColor" strokeWidth="2" />
    </svg>
  );
}

/** The place of a text that is on its way, as wide as the text will be. */
export function Skeleton({ width = '6ch' }: { readonly width?: string }) {
  return (
    <span
      aria-hidden="true"
      style={{ width }}
      className="inline-block h-3 max-w-full rounded bg-raised align-middle"
    />
  );
}
