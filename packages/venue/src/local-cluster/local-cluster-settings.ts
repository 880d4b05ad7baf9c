import { FOLDER, PORT, setting, type SettingsProgram, whole } from '@oddlot/host/settings';

/** All that a cluster on one machine can be told. */
export const LOCAL_CLUSTER_SETTINGS = {
  title: 'A whole Oddlot cluster on one machine: NATS servers, PostgreSQL and replicas.',
  command: 'npm run cluster',
  groups: {
    'What it is made of': {
      port: setting(PORT, {
        default: 8690,
        help: 'of the first replica; each has ten, and the servers have those behind',
      }),
      data: setting(FOLDER, {
        default: './data-cluster',
        help: 'the folder of everything that is kept',
      }),
      replicas: setting(whole(), { default: 3, help: 'replicas of the venue' }),
      servers: setting(whole(), {
        default: 3,
        help: 'NATS servers; with fewer than 3 the death of one stops the venue',
      }),
      againAfterMs: setting(whole('ms', { min: 0 }), {
        default: 3_000,
        help: 'milliseconds after which what has died is started again; 0 leaves it dead',
      }),
    },
  },
  closing:
    'What stands behind a further -- is handed to every replica: npm run cluster -- --port 8700 -- --no-bots\n',
} satisfies SettingsProgram;
