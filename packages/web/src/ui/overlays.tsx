import {
  cloneElement,
  useEffect,
  useId,
  useRef,
  useState,
  type ComponentProps,
  type HTMLAttributes,
  type KeyboardEvent,
  type PointerEvent,
  type ReactElement,
  type ReactNode,
} from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { loadedAhead } from './states.tsx';
import { classes } from './styles.ts';

export type DialogProps = {
  readonly title: string;
  readonly description?: string | undefined;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly isWide?: boolean | undefined;
  readonly children: ReactNode;
};

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

export function Sheet(props: DialogProps) {
  return (
    <Framed
      {...props}
      frame="appear fixed z-50 flex flex-col border-line bg-panel max-tablet:inset-x-0 max-tablet:bottom-0 max-tablet:max-h-[calc(100dvh-64px)] max-tablet:border-t tablet:inset-y-0 tablet:end-0 tablet:w-[340px] tablet:border-s"
    />
  );
}

const DialogFrame = loadedAhead(async () => (await import('./dialog-frame.tsx')).DialogFrame);

/**
 * Keeps a dialog mounted once it has been opened, so that it can restore the focus when it closes.
 */
function Framed(props: DialogProps & { readonly frame: string }) {
  const [wasOpen, setWasOpen] = useState(false);
  if (props.isOpen && !wasOpen) setWasOpen(true);
  return props.isOpen || wasOpen ? <DialogFrame {...props} /> : null;
}

export type MenuItem =
  | {
      readonly kind?: 'item';
      readonly label: ReactNode;
      readonly onSelect: () => void;
      readonly isDanger?: boolean | undefined;
      readonly isChosen?: boolean | undefined;
      readonly isToggle?: boolean | undefined;
      readonly isDisabled?: boolean | undefined;
    }
  | { readonly kind: 'line' }
  | { readonly kind: 'title'; readonly label: ReactNode };

const MenuPanel = loadedAhead(async () => (await import('./menu-panel.tsx')).MenuPanel);

type MenuProps = {
  readonly trigger: ReactElement<ComponentProps<'button'>>;
  readonly items: readonly MenuItem[];
  readonly align?: 'start' | 'end';
};

export function Menu({ trigger, items, align = 'end' }: MenuProps) {
  const [isOpen, setIsOpen] = useState(false);
  const holder = useRef<HTMLSpanElement>(null);
  const id = useId();
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'ArrowDown') return;
    event.preventDefault();
    setIsOpen(true);
  };
  return (
    <span ref={holder} className="relative inline-flex">
      {cloneElement(trigger, {
        id,
        'aria-haspopup': 'menu',
        'aria-expanded': isOpen,
        onClick: () => setIsOpen((was) => !was),
        onKeyDown,
      })}
      {isOpen && (
        <MenuPanel
          holder={holder}
          labelledBy={id}
          items={items}
          align={align}
          onClose={() => setIsOpen(false)}
        />
      )}
    </span>
  );
}

const DELAY_MS = 250;

const TooltipPanel = loadedAhead(async () => (await import('./tooltip-panel.tsx')).TooltipPanel);

type TooltipProps = Readonly<{ text: string; children: ReactElement<HTMLAttributes<HTMLElement>> }>;

export function Tooltip({ text, children }: TooltipProps) {
  const [isOpen, setIsOpen] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const id = useId();
  useEffect(() => () => clearTimeout(timer.current), []);
  const close = (): void => {
    clearTimeout(timer.current);
    setIsOpen(false);
  };
  const onPointerEnter = ({ pointerType }: PointerEvent): void => {
    if (pointerType === 'touch') return;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setIsOpen(true), DELAY_MS);
  };
  return (
    <span
      className="relative inline-flex"
      onPointerEnter={onPointerEnter}
      onPointerLeave={close}
      onFocus={() => setIsOpen(true)}
      onBlur={close}
    >
      {cloneElement(children, { 'aria-describedby': isOpen ? id : undefined })}
      {isOpen && <TooltipPanel id={id} text={text} onClose={close} />}
    </span>
  );
}

export type Toast = {
  readonly id: number;
  readonly title: ReactNode;
  readonly text?: ReactNode;
  readonly tone?: 'plain' | 'buy' | 'sell' | 'warning' | undefined;
};

const SHOWN_MAX = 4;

export const toasts = createStore<{ readonly shown: readonly Toast[] }>(() => ({ shown: [] }));
let lastId = 0;

export function notify(toast: Omit<Toast, 'id'>): void {
  lastId += 1;
  const shown = [...toasts.getState().shown, { ...toast, id: lastId }].slice(-SHOWN_MAX);
  toasts.setState({ shown });
}

export function dismiss(id: number): void {
  toasts.setState({ shown: toasts.getState().shown.filter((toast) => toast.id !== id) });
}

const ToastList = loadedAhead(async () => (await import('./toast-list.tsx')).ToastList);

export function Toasts() {
  const hasSome = useStore(toasts, ({ shown }) => shown.length > 0);
  const [hadSome, setHadSome] = useState(false);
  if (hasSome && !hadSome) setHadSome(true);
  return hasSome || hadSome ? <ToastList /> : null;
}

const HERTZ = 660;
const SECONDS = 0.12;
const VOLUME = 0.05;

let context: AudioContext | undefined;

export function playTone(): void {
  context ??= new AudioContext();
  const { currentTime, destination } = context;
  const tone = context.createOscillator();
  const volume = context.createGain();
  tone.frequency.value = HERTZ;
  volume.gain.setValueAtTime(VOLUME, currentTime);
  volume.gain.exponentialRampToValueAtTime(0.0001, currentTime + SECONDS);
  tone.connect(volume).connect(destination);
  tone.start();
  tone.stop(currentTime + SECONDS);
}
