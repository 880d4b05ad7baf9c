import { randomUUID } from 'node:crypto';
import { assertFinished } from '../cluster/agree-on-stream.ts';
import { decodeBlockMessage, decodeOpening, encodeBlockMessage } from '../cluster/block-message.ts';
import { confirmedLastSeq } from '../cluster/confirmed-end.ts';
import { patiently } from '../cluster/patiently.ts';
import { OPENING_PLACE } from '../cluster/stream-places.ts';
import { BlockBuffer } from '../log/block-codec.ts';
import { AdminRefusedError, type AdminPlace } from './admin-place.ts';

/** Has the era of the rules opened that a newer release waits with; older ones take no orders from here on. */
export async function openEra(place: AdminPlace): Promise<string> {
  const waiting = place.board.present.filter(({ isWaiting }) => isWaiting === true);
  const rules = Math.max(0, ...waiting.map((each) => each.rules));
  if (rules === 0) {
    throw new AdminRefusedError(
      'No replica is waiting for a new rules version. Start the new release first',
    );
  }
  await announce(place, rules);
  const names = waiting.map(({ replica }) => replica).join(', ');
  return (
    `rules version ${rules} announced: replicas with earlier rules stop accepting ` +
    `orders, and ${names} will activate it`
  );
}

/** Takes an announcement back, as long as its era is not open. */
export async function keepEra(place: AdminPlace): Promise<string> {
  await announce(place, 0);
  return 'announcement withdrawn: replicas with the current rules accept orders again';
}

async function announce({ cluster, stream }: AdminPlace, rules: number): Promise<void> {
  const { lastPlace } = await patiently(() => stream.end());
  if (lastPlace === 0) throw new AdminRefusedError(`The stream of ${cluster} is empty`);
  const found = await patiently(() => stream.at(OPENING_PLACE));
  const opening = found && decodeOpening(found);
  if (opening !== undefined) assertFinished(opening, await confirmedLastSeq(stream, opening));
  const buffer = new BlockBuffer();
  const proposal = `${randomUUID()}:1`;
  buffer.writeBlock([{ command: { type: 'announceEra', rules } }], proposal);
  const last = await patiently(() => stream.at(lastPlace));
  // The time of the block before: the clock of an operator's machine is nobody's.
  const timeMs =
    last === undefined || lastPlace === OPENING_PLACE ? 0 : decodeBlockMessage(last).timeMs;
  const data = encodeBlockMessage(timeMs, buffer.bytes.subarray(0, buffer.length));
  await patiently(() => stream.publish(proposal, { data }));
}
