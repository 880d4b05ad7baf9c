import { FOLDER, PORT, setting, type SettingsProgram, whole } from '@oddlot/host/settings';

/** All that a cluster on one machine can be told. */
export const LOCAL_CLUSTER_SETTINGS = {
  title: 'Oddlot cluster on one machine: NATS servers, PostgreSQL and replicas',
  command: 'npm run cluster',
  groups: {
    Cluster: {
      port: setting(PORT, {
        default: 8690,
        help: 'Port of the first replica. Each replica uses ten ports; the servers use those above',
      }),
      data: setting(FOLDER, {
        default: './data-cluster',
        help: 'Folder for all data',
      }),
      replicas: setting(whole(), { default: 3, help: 'Number of replicas' }),
      servers: setting(whole(), {
        default: 3,
        help: 'Number of NATS servers; with fewer than 3, the failure of one stops the venue',
      }),
      againAfterMs: setting(whole('ms', { min: 0 }), {
        default: 3_000,
        help: 'Milliseconds before an ended process is restarted; 0 disables restarts',
      }),
    },
  },
  closing:
    'Arguments after a second -- are passed to every replica: npm run cluster -- --port 8700 -- --no-bots\n',
} satisfies SettingsProgram;
