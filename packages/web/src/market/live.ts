import { useEffect, useMemo, useState } from 'react';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { useFrame } from './frame.ts';

/**
 * A subscription shared by components with the same parameters. It stays open for a short time
 * after the last release.
 */
export type Live<Parameters, State> = {
  acquire(parameters: Parameters): { readonly store: StoreApi<State>; release(): void };
  use<Part>(parameters: Parameters | undefined, select: (state: State) => Part): Part;
  useStore(parameters: Parameters | undefined): StoreApi<State>;
};

type LiveOptions<Parameters, State> = {
  readonly key: (parameters: Parameters) => string;
  readonly initial: () => State;
  readonly open: (parameters: Parameters, store: StoreApi<State>) => () => void;
};

export const LINGER_MS = 3_000;

type Entry<State> = {
  readonly store: StoreApi<State>;
  readonly close: () => void;
  users: number;
  timer: ReturnType<typeof setTimeout> | undefined;
};

export function createLive<Parameters, State>(
  options: LiveOptions<Parameters, State>,
): Live<Parameters, State> {
  const entries = new Map<string, Entry<State>>();
  const nothing = createStore<State>(() => options.initial());

  function acquire(parameters: Parameters): { store: StoreApi<State>; release(): void } {
    const key = options.key(parameters);
    const entry = entries.get(key) ?? open(key, parameters);
    clearTimeout(entry.timer);
    entry.users++;
    let isHeld = true;
    return {
      store: entry.store,
      release() {
        if (!isHeld) return;
        isHeld = false;
        entry.users--;
        if (entry.users === 0) linger(key, entry);
      },
    };
  }

  function open(key: string, parameters: Parameters): Entry<State> {
    const store = createStore<State>(() => options.initial());
    const entry = { store, close: options.open(parameters, store), users: 0, timer: undefined };
    entries.set(key, entry);
    return entry;
  }

  function linger(key: string, entry: Entry<State>): void {
    entry.timer = setTimeout(() => {
      entries.delete(key);
      entry.close();
    }, LINGER_MS);
  }

  function useStore(parameters: Parameters | undefined): StoreApi<State> {
    const key = parameters === undefined ? undefined : options.key(parameters);
    // The subscription is opened during the render, so that the component can show existing data
    // immediately. The effect keeps it open.
    const store = useMemo(() => {
      if (parameters === undefined) return nothing;
      const held = acquire(parameters);
      queueMicrotask(() => held.release());
      return held.store;
      // oxlint-disable-next-line react-hooks/exhaustive-deps -- the key stands for the parameters
    }, [key]);
    const [reopened, setReopened] = useState<{ over: StoreApi<State>; store: StoreApi<State> }>();
    useEffect(() => {
      if (parameters === undefined) return undefined;
      const held = acquire(parameters);
      // On a slow machine, the subscription can end between the render and the effect.
      if (held.store !== store) setReopened({ over: store, store: held.store });
      return () => held.release();
      // oxlint-disable-next-line react-hooks/exhaustive-deps -- the key stands for the parameters
    }, [key]);
    return reopened?.over === store ? reopened.store : store;
  }

  return { acquire, useStore, use: (parameters, select) => useFrame(useStore(parameters), select) };
}

const ASK_EVERY_MS = 250;
const ASK_AGAIN_MS = 2_000;

type Answer = 'whole' | 'partial';

type Asking = {
  again(): void;
  /**
   * Repeats the query after the stream has opened, because changes between the two would be missed.
   */
  onceReady(stream: { readonly ready: Promise<void> }): void;
  stop(): void;
};

/**
 * Sends a query immediately, and once more if changes occur while it is pending. Two queries are
 * never pending at once.
 */
export function askAfterChanges(
  ask: (signal: AbortSignal) => Promise<Answer>,
  { everyMs = ASK_EVERY_MS } = {},
): Asking {
  const leaving = new AbortController();
  let isAsking = false;
  let hasChanged = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const run = async (): Promise<void> => {
    isAsking = true;
    hasChanged = false;
    const answer = await ask(leaving.signal).catch(() => 'partial' as const);
    if (leaving.signal.aborted) return;
    timer = setTimeout(
      () => {
        isAsking = false;
        if (hasChanged || answer === 'partial') void run();
      },
      answer === 'partial' ? ASK_AGAIN_MS : everyMs,
    );
  };
  const again = (): void => {
    if (leaving.signal.aborted) return;
    hasChanged = true;
    if (!isAsking) void run();
  };
  void run();
  return {
    again,
    onceReady({ ready }) {
      ready.then(again, () => undefined);
    },
    stop() {
      clearTimeout(timer);
      leaving.abort();
    },
  };
}
