import { type ComponentType, lazy, Suspense } from 'react';

/**
 * A component whose code is not needed to draw a screen: it comes when it is first shown, or before that in a
 * quiet moment, so that nobody waits for it and it is there when the venue is not. It takes no room meanwhile.
 */
export function late<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  loadAhead(load);
  return onDemand(load);
}

/** The same for what only some people ever see, such as the rows of an account: it comes when it is first shown. */
export function onDemand<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const Loaded = lazy(async () => ({
    default: await untilLoaded(load),
  })) as unknown as ComponentType<Props>;
  return function Late(props: Props) {
    return (
      <Suspense fallback={null}>
        <Loaded {...props} />
      </Suspense>
    );
  };
}

const AGAIN_MS = 2_000;

/** A venue that is away for a moment must not take the screen along that waits for a part of it. */
async function untilLoaded<Part>(load: () => Promise<Part>): Promise<Part> {
  for (;;) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

/** Who has looked for so long without touching anything stays, and may press something when the venue is away. */
const REST_MS = 30_000;
/** By then the first screen stands, its data is there, and even a slow machine has come to rest. */
const SOON_MS = 5_000;
/** Who moves a pointer onto one of these, or the focus into it, may open something next. */
const PRESSABLE = 'button, a, input, [role], [tabindex]';

const waiting: (() => Promise<unknown>)[] = [];
let hasBegun = false;
let isLoading = false;

if (typeof document !== 'undefined') {
  setTimeout(begin, REST_MS);
  for (const move of ['pointerover', 'focusin'] as const) document.addEventListener(move, onMove);
}

/** Loads what may be needed before it is: at rest, or as soon as somebody moves towards something to press. */
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

/** One at a time and between other work, so that nothing of it is felt. */
function next(): void {
  if (isLoading) return;
  const load = waiting.shift();
  if (load === undefined) return;
  isLoading = true;
  const run = async (): Promise<void> => {
    // What can't be had now is asked for again when it is shown.
    await load().catch(() => undefined);
    isLoading = false;
    next();
  };
  // Some browsers do not tell when they are idle.
  if (typeof requestIdleCallback === 'function') requestIdleCallback(() => void run());
  else setTimeout(() => void run());
}
