import {
  lazy,
  Suspense,
  useCallback,
  useRef,
  useState,
  type ComponentType,
  type ReactNode,
} from 'react';
import { explainError, remedyLabel, type NameOf, type Remedy } from '../lib/explain-error.ts';
import { useWords } from '../lib/words.ts';
import { Button, Spinner } from './controls.tsx';

/**
 * Returns a component that is loaded when it is first shown, or earlier when the browser is idle.
 */
export function loadedAhead<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  loadAhead(load);
  return onDemand(load);
}

/**
 * Returns a component that is loaded only when it is first shown, unlike `loadedAhead`. Use it for
 * components that few users open.
 */
export function onDemand<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const Loaded = lazy(async () => ({
    default: await untilLoaded(load),
  })) as unknown as ComponentType<Props>;
  return function Loadable(props: Props) {
    return (
      <Suspense fallback={null}>
        <Loaded {...props} />
      </Suspense>
    );
  };
}

const AGAIN_MS = 2_000;

/** Retries failed loads, so that a short outage of the venue does not break the screen. */
async function untilLoaded<Part>(load: () => Promise<Part>): Promise<Part> {
  for (;;) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

/**
 * Components are loaded after this many milliseconds, so that they open even if the venue becomes
 * unreachable.
 */
const REST_MS = 30_000;
/**
 * After this many milliseconds, the first screen and its data have loaded, even on a slow machine.
 */
const SOON_MS = 5_000;
const PRESSABLE = 'button, a, input, [role], [tabindex]';

const waiting: (() => Promise<unknown>)[] = [];
let hasBegun = false;
let isLoading = false;

if (typeof document !== 'undefined') {
  setTimeout(begin, REST_MS);
  for (const move of ['pointerover', 'focusin'] as const) document.addEventListener(move, onMove);
}

function loadAhead(load: () => Promise<unknown>): void {
  waiting.push(load);
  if (hasBegun) next();
}

export function loadAheadSoon(): void {
  if (!hasBegun) setTimeout(begin, SOON_MS);
}

function onMove({ target }: Event): void {
  if (target instanceof Element && target.closest(PRESSABLE) !== null) begin();
}

function begin(): void {
  hasBegun = true;
  for (const move of ['pointerover', 'focusin'] as const) {
    document.removeEventListener(move, onMove);
  }
  next();
}

function next(): void {
  if (isLoading) return;
  const load = waiting.shift();
  if (load === undefined) return;
  isLoading = true;
  const run = async (): Promise<void> => {
    // A failed download is retried when the component is shown.
    await load().catch(() => undefined);
    isLoading = false;
    next();
  };
  if (typeof requestIdleCallback === 'function') requestIdleCallback(() => void run());
  else setTimeout(() => void run());
}

type EmptyStateProps = Readonly<{
  title: string;
  text?: string | undefined;
  action?: ReactNode;
  /** True if the state fills the whole screen. Its title is then the screen's heading. */
  isScreen?: boolean;
}>;

export function EmptyState({ title, text, action, isScreen = false }: EmptyStateProps) {
  const Title = isScreen ? 'h1' : 'p';
  return (
    <div className="flex h-full min-h-24 flex-col items-center justify-center gap-1 p-4 text-center">
      <Title className={isScreen ? 'text-20 font-semibold' : 'text-13 text-text'}>{title}</Title>
      {text !== undefined && <p className="max-w-96 text-12 text-balance text-muted">{text}</p>}
      {action !== undefined && <div className="mt-2">{action}</div>}
    </div>
  );
}

export function Skeleton({ width = '6ch' }: { readonly width?: string }) {
  return (
    <span
      aria-hidden="true"
      style={{ width }}
      className="inline-block h-3 max-w-full rounded bg-raised align-middle"
    />
  );
}

const ROWS_LOADING = [3, 2, 4] as const;

/** Shows that a list is loading, which must look different from an empty list. */
export function LoadingRows() {
  const t = useWords();
  return (
    <div role="status" className="flex flex-col gap-4 p-3">
      <span className="visually-hidden">{t('app.loading')}</span>
      {ROWS_LOADING.map((part) => (
        <span key={part} className="flex justify-between gap-6">
          <Skeleton width={`${part * 4}ch`} />
          <Skeleton width={`${part * 9}ch`} />
        </span>
      ))}
    </div>
  );
}

type Offer = { readonly label: string; readonly act: () => void };

export function ErrorSentence({
  error,
  nameOf,
  onRemedy,
  sentence: own,
  also = [],
}: {
  readonly error: unknown;
  readonly nameOf?: NameOf | undefined;
  readonly onRemedy?: ((remedy: Remedy) => (() => void) | undefined) | undefined;
  readonly sentence?: string | undefined;
  readonly also?: readonly Offer[];
}) {
  const t = useWords();
  const { docs, remedies, sentence } = explainError(error, t, nameOf);
  const known = remedies.flatMap((remedy) => {
    const act = onRemedy?.(remedy);
    return act === undefined ? [] : [{ label: remedyLabel(remedy, t), act }];
  });
  const offers = [...also, ...known];
  return (
    <div role="alert" className="border-s-2 border-warning py-0.5 ps-3 text-12">
      <p className="break-words">
        {own ?? sentence}{' '}
        {docs !== undefined && (
          <a href={docs} target="_blank" rel="noreferrer" className="text-accent underline">
            {t('error.why')}
          </a>
        )}
      </p>
      {offers.length > 0 && (
        <p className="mt-1 flex flex-wrap gap-2">
          {offers.map(({ act, label }) => (
            <Button key={label} size="small" onClick={act}>
              {label}
            </Button>
          ))}
        </p>
      )}
    </div>
  );
}

export type Doing = {
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly run: (act: () => Promise<unknown>) => Promise<boolean>;
  readonly clear: () => void;
};

export function useDoing(): Doing {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  // This is a ref, because a key that is held down repeats before the state is rendered.
  const isUnderWay = useRef(false);
  const run = useCallback(async (act: () => Promise<unknown>): Promise<boolean> => {
    if (isUnderWay.current) return false;
    isUnderWay.current = true;
    setIsBusy(true);
    setError(undefined);
    try {
      await act();
      return true;
    } catch (fault) {
      setError(fault);
      return false;
    } finally {
      isUnderWay.current = false;
      setIsBusy(false);
    }
  }, []);
  const clear = useCallback(() => setError(undefined), []);
  return { isBusy, error, run, clear };
}

export function ScreenState({
  error,
  isPending,
}: Readonly<{ error: unknown; isPending: boolean }>) {
  return isPending ? (
    <div className="flex h-full items-center justify-center text-muted">
      <Spinner />
    </div>
  ) : (
    <div className="p-4">
      <ErrorSentence error={error} />
    </div>
  );
}
