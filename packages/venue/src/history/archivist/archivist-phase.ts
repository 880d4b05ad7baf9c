/**
 * Where the history is in its life.
 *
 *     opened ──▶ verified ──▶ following ◀──────────────┐
 *                    │            │ damaged            │ rebuilt: the thread that made the rows takes over
 *                    │            ▼                    │
 *                    ├──────▶ rebuilding ──────────────┤
 *                    │            │ a thread is gone   │
 *                    │            ▼                    │
 *                    │          lost                   │
 *                    └──────▶ completing ──────────────┘  (so few blocks that no other thread is needed)
 *
 * It is told to end in any phase; a thread can be gone in any that has begun to follow.
 */
export type ArchivistPhase =
  | 'opened'
  | 'verified'
  | 'following'
  | 'completing'
  | 'rebuilding'
  | 'lost'
  | 'ended';

export type ArchivistChange =
  /** The store is of the log that is replayed, or is new. */
  | 'verified'
  /** Rows go on where the store ends. */
  | 'follows'
  /** Some rows that others have seen are missing, and come at once. */
  | 'lacks a few'
  /** Rows begin anew on a thread of their own. */
  | 'lacks many'
  /** The store is not what was written to it. */
  | 'damaged'
  /** Rows are as far as everybody thinks. */
  | 'rebuilt'
  /** A thread is gone, and none takes its place: until the next start there is no history. */
  | 'lost'
  | 'ends';

const ENDS = { ends: 'ended' } as const;
const FAILS = { lost: 'lost', ...ENDS } as const;

const CHANGES: {
  readonly [Phase in ArchivistPhase]: { readonly [Change in ArchivistChange]?: ArchivistPhase };
} = {
  opened: { verified: 'verified', ...FAILS },
  verified: {
    follows: 'following',
    'lacks a few': 'completing',
    'lacks many': 'rebuilding',
    damaged: 'rebuilding',
    ...FAILS,
  },
  following: { damaged: 'rebuilding', ...FAILS },
  completing: { rebuilt: 'following', damaged: 'rebuilding', ...FAILS },
  rebuilding: { rebuilt: 'following', damaged: 'rebuilding', ...FAILS },
  lost: ENDS,
  ended: {},
};

/** The phase behind a change; undefined when that can't happen then. */
export function phaseAfter(
  phase: ArchivistPhase,
  change: ArchivistChange,
): ArchivistPhase | undefined {
  return CHANGES[phase][change];
}
