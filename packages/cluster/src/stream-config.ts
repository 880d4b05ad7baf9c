import { DiscardPolicy, RetentionPolicy, type StreamConfig, StorageType } from '@nats-io/jetstream';

/**
 * How long the servers recognise a duplicate message, in nanoseconds. Replicas always recognise it.
 */
const DUPLICATE_WINDOW_NS = 120_000_000_000;

type RequiredConfig = Pick<
  StreamConfig,
  | 'name'
  | 'subjects'
  | 'storage'
  | 'retention'
  | 'discard'
  | 'num_replicas'
  | 'max_age'
  | 'max_bytes'
  | 'max_msgs'
  | 'max_msgs_per_subject'
  | 'duplicate_window'
  | 'deny_delete'
  | 'deny_purge'
  | 'allow_rollup_hdrs'
>;

/**
 * Returns the settings of a stream that stores all messages permanently: on disk, on this many
 * servers, without a size limit and without deletion.
 */
export function requiredConfig({
  name,
  replicas,
  subject,
}: {
  readonly name: string;
  readonly subject: string;
  readonly replicas: number;
}): RequiredConfig {
  return {
    name,
    subjects: [subject],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.New,
    num_replicas: replicas,
    max_age: 0,
    max_bytes: -1,
    max_msgs: -1,
    max_msgs_per_subject: -1,
    duplicate_window: DUPLICATE_WINDOW_NS,
    deny_delete: true,
    deny_purge: true,
    allow_rollup_hdrs: false,
  };
}

/**
 * Returns why a stream could lose a block or let other clients write one, or an empty list if its
 * settings are correct.
 */
export function streamFaults(config: StreamConfig, required: RequiredConfig): string[] {
  const faults: string[] = [];
  const say = (isWrong: boolean, what: string): void => {
    if (isWrong) faults.push(what);
  };
  const [subject, ...others] = config.subjects;
  say(config.storage !== required.storage, 'it is stored in memory, not in files');
  say(
    config.num_replicas < required.num_replicas,
    `it is stored on ${config.num_replicas} servers, but --stream-replicas requires ` +
      `${required.num_replicas}`,
  );
  say(
    config.retention !== required.retention,
    `messages are removed after they are read (retention ${config.retention})`,
  );
  say(config.max_age > 0, `messages older than ${config.max_age / 1e9} s are removed (max_age)`);
  say(config.max_bytes > 0, `its size is limited to ${config.max_bytes} bytes (max_bytes)`);
  say(config.max_msgs > 0, `it is limited to ${config.max_msgs} messages (max_msgs)`);
  say(
    config.max_msgs_per_subject > 0,
    `it is limited to ${config.max_msgs_per_subject} messages per subject`,
  );
  say(!config.deny_delete, 'its messages can be deleted (deny_delete is off)');
  say(required.deny_purge && !config.deny_purge, 'it can be purged (deny_purge is off)');
  say(config.allow_rollup_hdrs === true, 'a message can replace others (allow_rollup_hdrs)');
  say(
    subject !== required.subjects[0] || others.length > 0,
    `it also receives ${config.subjects.join(', ')}`,
  );
  say(
    config.mirror !== undefined || (config.sources ?? []).length > 0,
    'it copies other streams (mirror, sources)',
  );
  return faults;
}
