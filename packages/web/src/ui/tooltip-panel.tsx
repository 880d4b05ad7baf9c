import { Tooltip as RadixTooltip } from 'radix-ui';

type TooltipPanelProps = Readonly<{ id: string; text: string; onClose: () => void }>;

export function TooltipPanel({ id, text, onClose }: TooltipPanelProps) {
  return (
    <RadixTooltip.Provider>
      <RadixTooltip.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
        <RadixTooltip.Trigger asChild>
          <span aria-hidden="true" className="pointer-events-none absolute inset-0" />
        </RadixTooltip.Trigger>
        <RadixTooltip.Portal>
          <RadixTooltip.Content
            sideOffset={4}
            collisionPadding={8}
            aria-label={text}
            className="appear z-50 max-w-72 rounded border border-line bg-raised px-2 py-1 text-12 text-text"
          >
            <span id={id}>{text}</span>
          </RadixTooltip.Content>
        </RadixTooltip.Portal>
      </RadixTooltip.Root>
    </RadixTooltip.Provider>
  );
}
