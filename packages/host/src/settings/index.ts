/**
 * Settings of programs. Each setting is declared once; parsing, help texts and lists are derived
 * from the declaration.
 */
export { CHAIN_ACCESS, HOST_NAMES, TRUSTED_PROXIES } from './access-settings.ts';
export { readFlags, readSettings, SettingError } from './read-settings.ts';
export {
  ADDRESS,
  choice,
  FOLDER,
  HOST,
  HTTP_URL,
  DAYS_OR_ALL,
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
export {
  flagName,
  type Setting,
  setting,
  settingFlags,
  settingsIn,
  type SettingsOf,
  type SettingsProgram,
  variableName,
} from './setting.ts';
export { helpAsked, settingsHelp, settingsPage } from './settings-help.ts';
