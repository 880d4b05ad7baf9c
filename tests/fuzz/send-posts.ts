import { isUtf8 } from 'node:buffer';
import type { Json } from '../support/client.ts';
import type { SeededRandom } from '../support/seeded.ts';
import type { Socket } from '../support/socket.ts';
import { garbleText } from './mutate.ts';
import type { Answer, Sent } from './pipeline.ts';
import { codeOf, faultOf } from './verdict.ts';

/** Sends requests in socket frames. Some of the frames are themselves malformed. */

const TYPES: Readonly<Record<string, string>> = { '/exchange': 'action', '/info': 'info' };
const BODY_BYTES_MAX = 64 * 1024;
const FRAME_CODES = ['INVALID_FRAME', 'INVALID_PARAMS', 'RISK_RATE_LIMITED'];

export type PressedPosts = {
  /** The number of posts that got a response, and the number of frames that were rejected. */
  readonly answered: number;
  readonly refused: number;
  /** Undocumented responses, and responses that differ from those over HTTP. */
  readonly faults: readonly string[];
};

export async function sendPosts(
  socket: Socket,
  count: number,
  requests: { readonly next: () => Sent; readonly overHttp: (sent: Sent) => Promise<Answer> },
  random: SeededRandom,
): Promise<PressedPosts> {
  const faults: string[] = [];
  let [answered, refused] = [0, 0];
  for (let id = 0; id < count; id++) {
    const sent = requests.next();
    const type = TYPES[sent.path];
    if (type === undefined || !isUtf8(sent.body) || sent.body.length > BODY_BYTES_MAX) continue;
    const body = sent.body.toString();
    const whole = `{"method":"post","id":${id},"request":{"type":"${type}","payload":${body}}}`;
    const isBroken = random.below(3) === 0;
    const garbled = isBroken ? garbleText(whole, random).toString() : whole;
    const frame: Json = await socket.ask(garbled, () => true);
    if (frame.channel !== 'post') {
      refused += 1;
      if (!FRAME_CODES.includes(frame.code)) faults.push(`${garbled} got ${JSON.stringify(frame)}`);
      continue;
    }
    answered += 1;
    const { response } = frame.data;
    const answer = { status: response.status, text: JSON.stringify(response.payload) };
    const isType = response.type === (response.status < 400 ? type : 'error');
    const fault = faultOf(response.payload.status === undefined ? '/info' : '/exchange', answer);
    if (isBroken) {
      if (fault !== undefined) faults.push(`${fault}: ${garbled} got ${JSON.stringify(frame)}`);
      continue;
    }
    const reply = await requests.overHttp(sent);
    const isSame = reply.status === answer.status && codeOf(reply) === codeOf(answer);
    if (fault !== undefined || !isType || !isSame) {
      faults.push(`${fault}: ${garbled} got ${JSON.stringify(frame)}, HTTP ${reply.text}`);
    }
  }
  return { answered, refused, faults };
}
