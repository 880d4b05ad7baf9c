/** The door of the process: to start a venue inside another program, such as a test. */
export { type Config, readConfig } from './config.ts';
export { VENUE_SETTINGS } from './settings/venue-settings.ts';
export { startVenue, type Venue, type VenueDependencies } from './venue.ts';
export { createLogger } from '@oddlot/host/log';
export { rebuildHistory } from './rebuild-history.ts';
export { runClusterAdmin } from './cluster-admin/run-cluster-admin.ts';
export { renameVenue } from './rename-venue.ts';
export { BackupError, backUpFolder, restoreFolder } from './backup/backup.ts';
export { replayFolder } from './replay-folder.ts';
export { marketFault } from './translate/actions/outcome.ts';
