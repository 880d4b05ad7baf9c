import { Dialog as RadixDialog } from 'radix-ui';
import { useRef, type KeyboardEvent } from 'react';
import { useWords } from '../lib/words.ts';
import type { DialogProps } from './overlays.tsx';

export function DialogFrame({
  title,
  description,
  isOpen,
  onClose,
  children,
  frame,
}: DialogProps & { readonly frame: string }) {
  const t = useWords();
  const opener = useRef<Element | null>(null);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    // Radix sends Escape to the topmost layer, which may be a notice.
    const isInside = event.currentTarget.contains(event.target as Node);
    if (event.key === 'Escape' && !event.defaultPrevented && isInside) onClose();
  };
  return (
    <RadixDialog.Root open={isOpen} onOpenChange={(next) => !next && onClose()}>
      <RadixDialog.Portal>
        {/* A nested dialog dims the sheet below it; notices stay above both. */}
        <div className="relative z-40">
          <RadixDialog.Overlay className="fixed inset-0 bg-canvas/70" />
          <RadixDialog.Content
            className={frame}
            onKeyDown={onKeyDown}
            onOpenAutoFocus={() => {
              opener.current = document.activeElement;
            }}
            onCloseAutoFocus={(event) => {
              event.preventDefault();
              if (opener.current instanceof HTMLElement) opener.current.focus();
            }}
            {...(description === undefined ? { 'aria-describedby': undefined } : {})}
          >
            <header className="flex h-12 shrink-0 items-center border-b border-line pe-2 ps-4">
              <RadixDialog.Title className="flex-1 truncate text-15 font-semibold">
                {title}
              </RadixDialog.Title>
              <RadixDialog.Close
                aria-label={t('ui.close')}
                className="flex size-8 items-center justify-center rounded text-muted hover:bg-raised hover:text-text"
              >
                <svg viewBox="0 0 12 12" className="w-3" aria-hidden="true">
                  <path d="M1 1l10 10M11 1L1 11" stroke="currentColor" strokeWidth="1.5" />
                </svg>
              </RadixDialog.Close>
            </header>
            <div className="min-h-0 flex-1 overflow-y-auto p-4 pb-[max(16px,env(safe-area-inset-bottom))]">
              {description !== undefined && (
                <RadixDialog.Description className="mb-4 text-muted">
                  {description}
                </RadixDialog.Description>
              )}
              {children}
            </div>
          </RadixDialog.Content>
        </div>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  );
}
