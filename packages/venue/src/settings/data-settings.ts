import { FOLDER, KEPT, setting, SWITCH, text, whole } from '@oddlot/host/settings';

export const DATA_SETTINGS = {
  data: setting(FOLDER, {
    default: './data',
    help: 'Folder for the log, the snapshots and the history',
    isEveryday: true,
  }),
  database: setting(
    text({
      pattern: /^postgres(ql)?:\/\//,
      expected: 'a URL like postgres://user@host/name',
      placeholder: 'URL',
    }),
    {
      unset: '`history.sqlite` in the data folder',
      help: 'PostgreSQL server for the [history](storage.md#history), as `postgres://user@host/name`',
    },
  ),
  snapshotEveryBlocks: setting(whole(), {
    default: 20_000,
    help: 'Blocks between snapshots',
  }),
  snapshotEveryCommands: setting(whole(), {
    default: 500_000,
    help: 'Commands between snapshots, if reached before `snapshotEveryBlocks`',
  }),
  receiptsKeptMs: setting(whole('ms'), {
    default: 31 * 24 * 3_600_000,
    help: 'Milliseconds for which receipts are kept; the default is 31 days',
  }),
  logKeep: setting(KEPT, {
    unset: '`all`; 1 with simulated traders',
    help:
      '[How long the log is kept](storage.md#daily-volume): `all`, or a number of days. ' +
      'Without the complete log, damaged receipts cannot be recomputed and the past cannot ' +
      'be audited',
  }),
  historyKeep: setting(KEPT, {
    unset: '`all`; 1 with simulated traders',
    help:
      'How long rows of the [history](storage.md#history) are kept: `all`, or a number of ' +
      'days. Receipts have their own setting',
  }),
  diskLowBytes: setting(whole('bytes', { min: 0 }), {
    default: 2 ** 30,
    help:
      'Free space below which [only cancels, reducing orders and operator ' +
      'actions](storage.md#full-disk) are accepted',
  }),
  diskFullBytes: setting(whole('bytes', { min: 0 }), {
    default: 2 ** 28,
    help: 'Free space below which nothing is written; reads continue',
  }),
  acceptClock: setting(SWITCH, {
    default: false,
    help:
      'Start even if [the clock is behind the log](troubleshooting.md#wrong-clock) by more ' +
      'than 30 s; time then runs at half speed. Use it for one start only',
  }),
};
