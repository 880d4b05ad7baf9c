import { AdminRefusedError, type AdminPlace } from './admin-place.ts';

/** For what only holds while nobody writes; `or` says what would become of it. */
export function assertNobodyThere({ board, cluster }: AdminPlace, or: string): void {
  const present = board.present.map(({ replica }) => replica).toSorted();
  if (present.length === 0) return;
  throw new AdminRefusedError(
    `Replicas ${present.join(', ')} of ${cluster} are running and writing to the stream. ` +
      `Stop all of them first; otherwise, ${or}. Then wait 5 s and repeat the command`,
  );
}
