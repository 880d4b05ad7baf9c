import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';
import { classes } from './class-names.ts';

export type MenuItem =
  | {
      readonly kind?: 'item';
      readonly label: ReactNode;
      readonly onSelect: () => void;
      readonly isDanger?: boolean | undefined;
      readonly isChosen?: boolean | undefined;
      readonly isDisabled?: boolean | undefined;
    }
  | { readonly kind: 'line' }
  | { readonly kind: 'title'; readonly label: ReactNode };

/** A list of things to do, behind the button that is handed in. */
export function Menu({
  trigger,
  items,
  align = 'end',
}: {
  /** A single button. */
  readonly trigger: ReactNode;
  readonly items: readonly MenuItem[];
  readonly align?: 'start' | 'end';
}) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className="appear z-50 max-h-[70dvh] min-w-44 overflow-y-auto rounded border border-line bg-raised p-1"
        >
          {items.map((item, at) =>
            item.kind === 'line' ? (
              <DropdownMenu.Separator key={at} className="my-1 h-px bg-line" />
            ) : item.kind === 'title' ? (
              <DropdownMenu.Label key={at} className="px-2 py-1 text-11 text-muted">
                {item.label}
              </DropdownMenu.Label>
            ) : (
              <DropdownMenu.Item
                key={at}
                disabled={item.isDisabled === true}
                onSelect={item.onSelect}
                className={classes(
                  'flex h-8 cursor-pointer items-center justify-between gap-4 rounded px-2 text-13 outline-none data-disabled:opacity-50 data-highlighted:bg-line',
                  item.isDanger === true ? 'text-sell' : 'text-text',
                )}
              >
                {item.label}
                {item.isChosen === true && (
                  <svg viewBox="0 0 10 8" className="w-2.5 text-accent" aria-hidden="true">
                    <path d="M1 4l3 3 5-6" fill="none" stroke="currentColor" strokeWidth="1.8" />
                  </svg>
                )}
              </DropdownMenu.Item>
            ),
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
