import { FOLDER, KEPT, setting, SWITCH, text, whole } from '@oddlot/host/settings';

export const DATA_SETTINGS = {
  data: setting(FOLDER, {
    default: './data',
    help: 'folder of the log, snapshots and the history',
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
      help: 'a PostgreSQL server for the [history](storage.md#history), as `postgres://user@host/name`',
    },
  ),
  snapshotEveryBlocks: setting(whole(), {
    default: 20_000,
    help: 'blocks between two snapshots',
  }),
  snapshotEveryCommands: setting(whole(), {
    default: 500_000,
    help: 'or commands, whichever comes first',
  }),
  receiptsKeptMs: setting(whole('ms'), {
    default: 31 * 24 * 3_600_000,
    help: 'milliseconds that receipts are kept: 31 days by default',
  }),
  logKeep: setting(KEPT, {
    unset: '`all`; 1 with simulated traders',
    help: "`all`, or days: [how long the log is kept](storage.md#daily-volume). Receipts that are damaged once parts of it are gone can't be computed again, and the past can't be audited",
  }),
  historyKeep: setting(KEPT, {
    unset: '`all`; 1 with simulated traders',
    help: '`all`, or days: how long rows of the [history](storage.md#history) are kept; receipts have their own time',
  }),
  diskLowBytes: setting(whole('bytes', { min: 0 }), {
    default: 2 ** 30,
    help: "below [this much room](storage.md#full-disk) only cancels, reducing orders and operators' actions pass",
  }),
  diskFullBytes: setting(whole('bytes', { min: 0 }), {
    default: 2 ** 28,
    help: 'below this much room nothing is written, and reads go on',
  }),
  acceptClock: setting(SWITCH, {
    default: false,
    help: 'for one start: goes on though [the clock is behind the log](troubleshooting.md#wrong-clock) by more than 30 s; time then runs at half speed',
  }),
};
