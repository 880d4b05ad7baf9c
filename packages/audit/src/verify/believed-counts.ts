import type { Counts } from '../checks/command-checker.ts';

/** What had to be taken as it is, in words. */
export function believedCounts(
  { believed, signersSampledOut }: Readonly<Counts>,
  earlierBlocks: number,
): string[] {
  const others: [count: number, what: string][] = [
    [signersSampledOut, 'signers of requests, as the log names them'],
    [earlierBlocks, 'blocks of earlier eras: applied by their own engine, and not derived'],
  ];
  return [
    ...believed.lines,
    ...others.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : [])),
  ];
}
