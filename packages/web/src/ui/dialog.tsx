import { Dialog as RadixDialog } from 'radix-ui';
import { useRef, type ReactNode } from 'react';
import { useWords } from '../lib/words.ts';
import { classes } from './class-names.ts';

export type DialogProps = {
  readonly title: string;
  /** One sentence under the title. */
  readonly description?: string | undefined;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** For tables; text is easier to read in the usual width. */
  readonly isWide?: boolean | undefined;
  readonly children: ReactNode;
};

/** A question in the middle of the screen; on a phone it is a sheet. */
export function Dialog(props: DialogProps) {
  return (
    <Framed
      {...props}
      frame={classes(
        'appear fixed z-50 flex flex-col border-line bg-panel max-tablet:inset-x-0 max-tablet:bottom-0 max-tablet:max-h-[90dvh] max-tablet:border-t tablet:top-1/2 tablet:left-1/2 tablet:max-h-[85dvh] tablet:max-w-[calc(100vw-32px)] tablet:-translate-x-1/2 tablet:-translate-y-1/2 tablet:rounded tablet:border',
        props.isWide === true ? 'tablet:w-[680px]' : 'tablet:w-[420px]',
      )}
    />
  );
}

/** From the right edge, or on a phone from the bottom: a ticket, a menu. */
export function Sheet(props: DialogProps) {
  return (
    <Framed
      {...props}
      frame="appear fixed z-50 flex flex-col border-line bg-panel max-tablet:inset-x-0 max-tablet:bottom-0 max-tablet:max-h-[92dvh] max-tablet:border-t tablet:inset-y-0 tablet:right-0 tablet:w-[340px] tablet:border-l"
    />
  );
}

function Framed({
  title,
  description,
  isOpen,
  onClose,
  children,
  frame,
}: DialogProps & { readonly frame: string }) {
  const t = useWords();
  const opener = useRef<Element | null>(null);
  return (
    <RadixDialog.Root open={isOpen} onOpenChange={(next) => !next && onClose()}>
      <RadixDialog.Portal>
        <RadixDialog.Overlay className="fixed inset-0 z-40 bg-canvas/70" />
        <RadixDialog.Content
          className={frame}
          onOpenAutoFocus={() => {
            opener.current = document.activeElement;
          }}
          onCloseAutoFocus={(event) => {
            // Back to what opened it: there is no trigger that would be known otherwise.
            event.preventDefault();
            if (opener.current instanceof HTMLElement) opener.current.focus();
          }}
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
        >
          <header className="flex h-12 shrink-0 items-center border-b border-line pr-2 pl-4">
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
      </RadixDialog.Portal>
    </RadixDialog.Root>
  );
}
