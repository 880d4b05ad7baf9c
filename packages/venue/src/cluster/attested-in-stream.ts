import type { Hash } from '@oddlot/units';
import { ATTESTED_WITHIN_BLOCKS, attestationIn } from '../block/block.ts';
import { commandsOf, decodeBlockMessage, decodeOpening } from './block-message.ts';
import type { BlockStream } from './block-stream.ts';
import { patiently } from './patiently.ts';
import { OPENING_PLACE, placeOf } from './stream-places.ts';

/** The hash that a stream attests for the content of the snapshot of a block; undefined when it has none. */
export async function attestedInStream(
  stream: Pick<BlockStream, 'at' | 'end' | 'follow'>,
  height: number,
): Promise<Hash | undefined> {
  const opening = await patiently(() => stream.at(OPENING_PLACE));
  if (opening === undefined) return undefined;
  const { firstPlace, lastPlace } = await patiently(() => stream.end());
  const behind = placeOf(decodeOpening(opening), height + 1);
  const from = Math.max(behind, OPENING_PLACE + 1, firstPlace);
  const until = Math.min(lastPlace, from + ATTESTED_WITHIN_BLOCKS);
  if (from > until) return undefined;
  const found = Promise.withResolvers<Hash | undefined>();
  const following = stream.follow(from, {
    take({ data, place }) {
      const attested = attestationIn(commandsOf(decodeBlockMessage(data).encoded), height);
      if (attested !== undefined || place >= until) found.resolve(attested);
      return undefined;
    },
    onReplaced: () => found.resolve(undefined),
    onFatal: found.reject,
  });
  try {
    return await found.promise;
  } finally {
    await following.stop();
  }
}
