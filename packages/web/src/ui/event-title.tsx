/** A title; what stands in brackets at its end, often a time, steps back. */
export function EventTitle({ title }: { readonly title: string }) {
  const [, main = title, aside] = /^(.*\S)\s*(\([^()]+\))$/.exec(title) ?? [];
  return (
    <>
      {main}
      {aside !== undefined && <span className="text-[0.7em] font-normal text-muted"> {aside}</span>}
    </>
  );
}
