import { codeOf, faultOf } from './verdict.ts';
import { Pipeline, type Answer, type Sent } from './pipeline.ts';

/** Sends requests as fast as the venue responds, and checks every response. */

const CONNECTIONS = 32;
const IN_FLIGHT = 128;
const FAULTS_MAX = 5;

export type SendResult = {
  /** The number of responses by path, status and code. */
  readonly tally: ReadonlyMap<string, number>;
  /** The first undocumented responses, with their requests. */
  readonly faults: readonly string[];
  readonly seconds: number;
};

export async function sendAll(
  url: string,
  count: number,
  next: () => Promise<Sent> | Sent,
): Promise<SendResult> {
  const pipeline = await Pipeline.open(url, CONNECTIONS);
  const tally = new Map<string, number>();
  const faults: string[] = [];
  const startedMs = performance.now();
  let sentCount = 0;
  const work = async () => {
    while (sentCount < count && faults.length < FAULTS_MAX) {
      sentCount += 1;
      const sent = await next();
      const answer = await pipeline.post(sent);
      const key = `${sent.path} ${answer.status} ${codeOf(answer)}`;
      tally.set(key, (tally.get(key) ?? 0) + 1);
      const fault = faultOf(sent.path, answer);
      if (fault !== undefined) faults.push(described(fault, sent, answer));
    }
  };
  try {
    await Promise.all(Array.from({ length: IN_FLIGHT }, work));
  } finally {
    pipeline.close();
  }
  return { tally, faults, seconds: (performance.now() - startedMs) / 1000 };
}

/** Combines the results from several runs. */
export function together(runs: readonly SendResult[]): SendResult {
  const tally = new Map<string, number>();
  for (const [key, count] of runs.flatMap((run) => [...run.tally])) {
    tally.set(key, (tally.get(key) ?? 0) + count);
  }
  const faults = runs.flatMap((run) => run.faults);
  return { tally, faults, seconds: runs.reduce((sum, run) => sum + run.seconds, 0) };
}

/** Returns the value of one of the venue's metrics, summed over its labels. */
export async function metricOf(operations: string, name: string): Promise<number> {
  const text = await (await fetch(`${operations}/metrics`)).text();
  const lines = text.split('\n').filter((line) => new RegExp(`^${name}[ {]`).test(line));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

function described(fault: string, { path, headers, body }: Sent, answer: Answer): string {
  const shown = (text: string) => (text.length > 2_000 ? `${text.slice(0, 2_000)} …` : text);
  return [
    `${fault}: ${path} was answered ${answer.status} ${shown(answer.text)}`,
    headers.trim(),
    shown(body.toString('utf8')),
  ].join('\n');
}
