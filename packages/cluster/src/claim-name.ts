import { randomUUID } from 'node:crypto';
import { type Msg, type NatsConnection, RequestError } from '@nats-io/transport-node';
import { NameTakenError } from './stream-error.ts';

/** Who is not heard by then is dead or frozen. The servers know at once whether anybody listens at all. */
const ANSWER_MS = 3_000;
/** Who has had a name for longer keeps it; of two that were started together one does. */
const TOGETHER_MS = 10_000;

type Claim = {
  readonly cluster: string;
  readonly replica: string;
  /** Another process has the name now; this one must end. */
  readonly onTaken: (error: NameTakenError) => void;
};

/** What those who want a name ask, and what who gave up waiting for an answer tells. */
type Question = { readonly instance: string; readonly isTaken?: true };
type Answer = { readonly instance: string; readonly forMs: number };

/**
 * Makes sure that no other process is the replica of this name, for as long as the connection is there. Throws where one is. One
 * that does not answer has lost it, and hears so if it ever wakes up.
 */
export async function claimName(connection: NatsConnection, claim: Claim): Promise<void> {
  const { cluster, onTaken, replica } = claim;
  const subject = `oddlot.${cluster}.replica.${replica}`;
  const instance = randomUUID();
  const found = await ask(connection, subject, { instance });
  if (typeof found === 'object') throw new NameTakenError(replica, cluster);
  const sinceMs = performance.now();
  const callback = (error: Error | null, message: Msg): void => {
    if (error !== null) return;
    const { instance: other, isTaken } = message.json<Question>();
    if (other === instance) return;
    if (isTaken === true) return onTaken(new NameTakenError(replica, cluster));
    const answer: Answer = { instance, forMs: performance.now() - sinceMs };
    message.respond(JSON.stringify(answer));
  };
  connection.subscribe(subject, { callback });
  const take = (): void =>
    connection.publish(subject, JSON.stringify({ instance, isTaken: true } satisfies Question));
  if (found === 'silent') return take();
  // Another one may have asked at the same moment, when nobody listened yet: nobody waits for that here.
  const settle = async (): Promise<void> => {
    const other = await ask(connection, subject, { instance });
    if (typeof other !== 'object' || connection.isClosed()) return;
    const isMine = other.forMs < TOGETHER_MS && instance < other.instance;
    if (isMine) take();
    else onTaken(new NameTakenError(replica, cluster));
  };
  void settle();
}

/** What another process of that name answers; `free` where none listens. */
async function ask(
  connection: NatsConnection,
  subject: string,
  question: Question,
): Promise<Answer | 'free' | 'silent'> {
  try {
    const options = { timeout: ANSWER_MS };
    const reply = await connection.request(subject, JSON.stringify(question), options);
    return reply.json<Answer>();
  } catch (error) {
    return error instanceof RequestError && error.isNoResponders() ? 'free' : 'silent';
  }
}
