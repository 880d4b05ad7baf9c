import { type ReactNode, useState } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { late } from './late.tsx';

/** News that nobody asked for: a fill, a liquidation, a withdrawal that was paid. */
export type Toast = {
  readonly id: number;
  readonly title: ReactNode;
  readonly text?: ReactNode;
  readonly tone?: 'plain' | 'buy' | 'sell' | 'warning' | undefined;
};

const SHOWN_MAX = 4;

export const toasts = createStore<{ readonly shown: readonly Toast[] }>(() => ({ shown: [] }));
let lastId = 0;

/** Shows a notice for a few seconds; beyond a few the oldest goes. */
export function notify(toast: Omit<Toast, 'id'>): void {
  lastId += 1;
  const shown = [...toasts.getState().shown, { ...toast, id: lastId }].slice(-SHOWN_MAX);
  toasts.setState({ shown });
}

export function dismiss(id: number): void {
  toasts.setState({ shown: toasts.getState().shown.filter((toast) => toast.id !== id) });
}

const ToastList = late(async () => (await import('./toast-list.tsx')).ToastList);

/** Where notices appear; around the program, once. */
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
