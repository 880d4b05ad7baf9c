import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { nearestName } from '@oddlot/protocol';
import { SettingError } from './setting-error.ts';

/** Every program takes these, whatever else it takes. */
const ALWAYS = ['help'];

/** The flags of a command line; one that is unknown is refused with the one that was most likely meant. */
export function readFlags<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
  { allowPositionals = false }: { readonly allowPositionals?: boolean } = {},
) {
  try {
    return parseArgs({
      args: [...args],
      options,
      allowPositionals,
      allowNegative: true,
      strict: true,
    });
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string };
    const unknown = /^Unknown option '--?([^']*)'/.exec(message);
    if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION' || unknown === null) {
      throw new SettingError(message, { cause: error });
    }
    const [said, name = ''] = unknown;
    throw new SettingError(said + nearest(name, options), { cause: error });
  }
}

function nearest(name: string, options: ParseArgsOptionsConfig): string {
  const names = Object.entries(options).flatMap(([flag, { type }]) =>
    type === 'boolean' ? [flag, `no-${flag}`] : [flag],
  );
  const near = nearestName(name, [...names, ...ALWAYS]);
  return near === undefined ? '' : `. Did you mean --${near}?`;
}
