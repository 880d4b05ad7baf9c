/** How programs are told what to do: settings are declared once, and read, explained and listed from there. */
export { CHAIN_DOOR, HOST_NAMES, TRUSTED_PROXIES } from './door-settings.ts';
export { readFlags } from './read-flags.ts';
export { readSettings } from './read-settings.ts';
export { SettingError } from './setting-error.ts';
export {
  ADDRESS,
  choice,
  FOLDER,
  HOST,
  HTTP_URL,
  KEPT,
  type Kind,
  list,
  LOG_LEVEL,
  PORT,
  SECRET_PLACE,
  SWITCH,
  tables,
  text,
  whole,
} from './setting-kinds.ts';
export { setting, type Setting } from './setting.ts';
export { helpAsked, settingsHelp } from './settings-help.ts';
export { settingsPage } from './settings-page.ts';
export {
  flagName,
  settingFlags,
  settingsIn,
  type SettingsOf,
  type SettingsProgram,
  variableName,
} from './settings-program.ts';
