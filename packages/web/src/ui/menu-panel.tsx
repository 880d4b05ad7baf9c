import { DropdownMenu } from 'radix-ui';
import { useRef, type RefObject } from 'react';
import type { MenuItem } from './overlays.tsx';
import { classes } from './styles.ts';

type MenuPanelProps = {
  readonly holder: RefObject<HTMLElement | null>;
  readonly labelledBy: string;
  readonly items: readonly MenuItem[];
  readonly align: 'start' | 'end';
  readonly onClose: () => void;
};

export function MenuPanel({ holder, labelledBy, items, align, onClose }: MenuPanelProps) {
  const isLeft = useRef(false);
  const focusButton = (): void => holder.current?.querySelector('button')?.focus();
  return (
    <DropdownMenu.Root open modal={false} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <DropdownMenu.Trigger asChild>
        <span aria-hidden="true" className="pointer-events-none absolute inset-0" />
      </DropdownMenu.Trigger>
      {/* An element in full screen hides everything outside it. */}
      <DropdownMenu.Portal container={document.fullscreenElement as HTMLElement | null}>
        <DropdownMenu.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          aria-labelledby={labelledBy}
          onInteractOutside={(event) => {
            // A press on the button itself closes the menu, and a press elsewhere moves the focus
            // there.
            if (holder.current?.contains(event.target as Node) === true) event.preventDefault();
            else isLeft.current = true;
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (!isLeft.current) focusButton();
          }}
          className="appear z-50 max-h-[70dvh] min-w-44 overflow-y-auto rounded border border-line bg-raised p-1"
        >
          {items.map((item, at) => (
            <Entry key={at} item={item} onChoose={focusButton} />
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

function Entry({ item, onChoose }: { readonly item: MenuItem; readonly onChoose: () => void }) {
  if (item.kind === 'line') return <DropdownMenu.Separator className="my-1 h-px bg-line" />;
  if (item.kind === 'title') {
    return (
      <DropdownMenu.Label className="px-2 py-1 text-11 text-muted">{item.label}</DropdownMenu.Label>
    );
  }
  const looks = {
    disabled: item.isDisabled === true,
    onSelect: () => {
      // This handler is called first, so that a dialog can later restore the focus to the right
      // element.
      onChoose();
      item.onSelect();
    },
    className: classes(
      'flex h-8 cursor-pointer items-center justify-between gap-4 rounded px-2 text-13 outline-none data-disabled:opacity-50 data-highlighted:bg-line',
      item.isDanger === true ? 'text-sell' : 'text-text',
    ),
  };
  if (item.isChosen === undefined) {
    return <DropdownMenu.Item {...looks}>{item.label}</DropdownMenu.Item>;
  }
  return (
    <DropdownMenu.Item
      {...looks}
      role={item.isToggle === true ? 'menuitemcheckbox' : 'menuitemradio'}
      aria-checked={item.isChosen}
    >
      {item.label}
      {item.isChosen && (
        <svg viewBox="0 0 10 8" className="w-2.5 text-accent" aria-hidden="true">
          <path d="M1 4l3 3 5-6" fill="none" stroke="currentColor" strokeWidth="1.8" />
        </svg>
      )}
    </DropdownMenu.Item>
  );
}
