import type { Counts } from '../checks/command-checker.ts';

/** What had to be taken as it is, in words. */
export function believedCounts(
  { believed, signersSampledOut }: Readonly<Counts>,
  earlierBlocks: number,
): string[] {
  const others: [count: number, what: string][] = [
    [signersSampledOut, 'request signers: taken from the log, signatures not checked'],
    [
      earlierBlocks,
      'blocks with earlier rules versions: applied by their own engine, requests not checked',
    ],
  ];
  return [
    ...believed.lines,
    ...others.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : [])),
  ];
}
