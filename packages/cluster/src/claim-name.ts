import { randomUUID } from 'node:crypto';
import { type Msg, type NatsConnection, RequestError } from '@nats-io/transport-node';
import { NameTakenError } from './stream-error.ts';

/**
 * A process that does not reply within this many milliseconds has ended or is frozen. If there is
 * no such process, the servers report that immediately.
 */
const ANSWER_MS = 3_000;
/**
 * A process that has held the name for longer than this keeps it. Otherwise, the two processes have
 * started together, and one of them keeps the name.
 */
const TOGETHER_MS = 10_000;

type Claim = {
  readonly cluster: string;
  readonly replica: string;
  /** Called if another process has taken over the name; this process must then end. */
  readonly onTaken: (error: NameTakenError) => void;
};

/**
 * A request from a process that claims the name. With `isTaken`, it is the notification that the
 * process took the name without a reply.
 */
type NameRequest = { readonly instance: string; readonly isTaken?: true };
type Answer = { readonly instance: string; readonly forMs: number };

/**
 * Ensures that no other process is the replica with this name as long as the connection exists.
 * Throws if there is one. A process that does not reply loses the name and is notified when it
 * wakes up.
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
    const { instance: other, isTaken } = message.json<NameRequest>();
    if (other === instance) return;
    if (isTaken === true) return onTaken(new NameTakenError(replica, cluster));
    const answer: Answer = { instance, forMs: performance.now() - sinceMs };
    message.respond(JSON.stringify(answer));
  };
  connection.subscribe(subject, { callback });
  const take = (): void =>
    connection.publish(subject, JSON.stringify({ instance, isTaken: true } satisfies NameRequest));
  if (found === 'silent') return take();
  // Another process may have sent its request at the same time, before this one listened. Startup
  // does not wait for this check.
  const settle = async (): Promise<void> => {
    const other = await ask(connection, subject, { instance });
    if (typeof other !== 'object' || connection.isClosed()) return;
    const isMine = other.forMs < TOGETHER_MS && instance < other.instance;
    if (isMine) take();
    else onTaken(new NameTakenError(replica, cluster));
  };
  void settle();
}

/** Returns the reply of another process with that name, or `free` if there is no such process. */
async function ask(
  connection: NatsConnection,
  subject: string,
  request: NameRequest,
): Promise<Answer | 'free' | 'silent'> {
  try {
    const options = { timeout: ANSWER_MS };
    const reply = await connection.request(subject, JSON.stringify(request), options);
    return reply.json<Answer>();
  } catch (error) {
    return error instanceof RequestError && error.isNoResponders() ? 'free' : 'silent';
  }
}
