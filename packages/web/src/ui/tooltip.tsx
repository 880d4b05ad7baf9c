import { Tooltip as RadixTooltip } from 'radix-ui';
import type { ReactNode } from 'react';

const DELAY_MS = 250;

/** Around the program, once. */
export function TooltipProvider({ children }: { readonly children: ReactNode }) {
  return <RadixTooltip.Provider delayDuration={DELAY_MS}>{children}</RadixTooltip.Provider>;
}

/** What more there is to say about a thing that can be pointed at or focused. */
export function Tooltip({
  text,
  children,
}: {
  readonly text: ReactNode;
  /** A single element that can have focus. */
  readonly children: ReactNode;
}) {
  return (
    <RadixTooltip.Root>
      <RadixTooltip.Trigger asChild>{children}</RadixTooltip.Trigger>
      <RadixTooltip.Portal>
        <RadixTooltip.Content
          sideOffset={4}
          collisionPadding={8}
          className="appear z-50 max-w-72 rounded border border-line bg-raised px-2 py-1 text-12 text-text"
        >
          {text}
        </RadixTooltip.Content>
      </RadixTooltip.Portal>
    </RadixTooltip.Root>
  );
}
