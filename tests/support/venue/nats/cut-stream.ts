import { BlockStream } from '../../../../packages/cluster/src/block-stream.ts';
import type { StreamMessage } from '../../../../packages/cluster/src/following.ts';

/**
 * Removes the last messages from a stream, as if servers had lost them or the writer had been
 * killed.
 */
export async function cutStream(
  { cluster, url }: { readonly cluster: string; readonly url: string },
  place: number,
): Promise<void> {
  const open = (): Promise<BlockStream> =>
    BlockStream.open({ servers: [url], cluster, clientName: 'test', replicas: 1 });
  const whole = await open();
  const remaining: StreamMessage[] = [];
  for (let at = 1; at <= place; at += 1) remaining.push((await whole.messageAt(at))!);
  await whole.remove();
  await whole.close();
  const again = await open();
  for (const [index, message] of remaining.entries())
    await again.publishBehind(index, `kept ${index}`, message);
  await again.close();
}
