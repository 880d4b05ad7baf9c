import { useState, type ReactNode } from 'react';
import { classes } from './classes.ts';
import { late } from './late.tsx';

export type DialogProps = {
  readonly title: string;
  readonly description?: string | undefined;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** For tables; text is easier to read in the usual width. */
  readonly isWide?: boolean | undefined;
  readonly children: ReactNode;
};

/** A question in the middle of the screen; on a phone it is a sheet, with room for a notice above it. */
export function Dialog(props: DialogProps) {
  return (
    <Framed
      {...props}
      frame={classes(
        'appear fixed z-50 flex flex-col border-line bg-panel max-tablet:inset-x-0 max-tablet:bottom-0 max-tablet:max-h-[calc(100dvh-64px)] max-tablet:border-t tablet:top-1/2 tablet:left-1/2 tablet:max-h-[85dvh] tablet:max-w-[calc(100vw-32px)] tablet:-translate-x-1/2 tablet:-translate-y-1/2 tablet:rounded tablet:border',
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
      frame="appear fixed z-50 flex flex-col border-line bg-panel max-tablet:inset-x-0 max-tablet:bottom-0 max-tablet:max-h-[calc(100dvh-64px)] max-tablet:border-t tablet:inset-y-0 tablet:end-0 tablet:w-[340px] tablet:border-s"
    />
  );
}

const DialogFrame = late(async () => (await import('./dialog-frame.tsx')).DialogFrame);

/** Nothing until it is first opened; then it stays, to give the focus back when it is closed. */
function Framed(props: DialogProps & { readonly frame: string }) {
  const [wasOpen, setWasOpen] = useState(false);
  if (props.isOpen && !wasOpen) setWasOpen(true);
  return props.isOpen || wasOpen ? <DialogFrame {...props} /> : null;
}
