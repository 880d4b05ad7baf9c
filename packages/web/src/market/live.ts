import { useEffect, useMemo, useState } from 'react';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { useFrame } from './frame.ts';

/**
 * Something live with parameters: a book, a tape, an account. However many panels show it, it is subscribed
 * once; when the last of them is gone it stays for a moment, in case the next screen wants it too.
 */
export type Live<Parameters, State> = {
  /** Holds the subscription until released. */
  acquire(parameters: Parameters): { readonly store: StoreApi<State>; release(): void };
  /** The same for a component; nothing is subscribed while the parameters are undefined. */
  use<Part>(parameters: Parameters | undefined, select: (state: State) => Part): Part;
  /** The store itself, for panels that draw by themselves. */
  useStore(parameters: Parameters | undefined): StoreApi<State>;
};

type LiveOptions<Parameters, State> = {
  readonly key: (parameters: Parameters) => string;
  readonly initial: () => State;
  /** Subscribes, and writes into the store; returns what ends it. */
  readonly open: (parameters: Parameters, store: StoreApi<State>) => () => void;
};

/** How long something stays subscribed that nobody shows. */
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
    // Opened while rendering, so that a panel shows at once what another one has; an effect keeps it.
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
      // A slow machine may take longer from rendering to here than things linger: what was rendered has ended then.
      if (held.store !== store) setReopened({ over: store, store: held.store });
      return () => held.release();
      // oxlint-disable-next-line react-hooks/exhaustive-deps -- the key stands for the parameters
    }, [key]);
    return reopened?.over === store ? reopened.store : store;
  }

  return { acquire, useStore, use: (parameters, select) => useFrame(useStore(parameters), select) };
}

/** Between two questions of one kind: orders may change in every block. */
const ASK_EVERY_MS = 250;
/** After a question that failed, or whose answer was not all. */
const ASK_AGAIN_MS = 2_000;

type Answer = 'whole' | 'partial';

type Asking = {
  /** Something has changed. */
  again(): void;
  /**
   * Once more when a stream of changes stands: it tells what happens from there on, and the first answer may be of
   * before. What was done in between is in neither.
   */
  onceHeard(stream: { readonly ready: Promise<void> }): void;
  stop(): void;
};

/** Asks now, and once more after whatever changed meanwhile; one question is under way at a time. */
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
    onceHeard({ ready }) {
      // One that was refused tells nothing, and what it says then is said elsewhere.
      ready.then(again, () => undefined);
    },
    stop() {
      clearTimeout(timer);
      leaving.abort();
    },
  };
}
