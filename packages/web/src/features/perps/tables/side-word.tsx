import type { ReactNode } from 'react';

/** The direction as the venue words it, in the colour of its side. */
export function SideWord({ side, text }: { readonly side: 'B' | 'A'; readonly text: ReactNode }) {
  return <span className={side === 'B' ? 'text-buy' : 'text-sell'}>{text}</span>;
}
