/** The direction as the venue words it, in the colour of its side. */
export function SideWord({ side, text }: { readonly side: 'B' | 'A'; readonly text: string }) {
  return <span className={side === 'B' ? 'text-buy' : 'text-sell'}>{text}</span>;
}
