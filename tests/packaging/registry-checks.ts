import { readFile } from 'node:fs/promises';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

/** Returns the problems found in a tarball's manifest and files. */
export async function packageProblems(tarball: string): Promise<readonly string[]> {
  const data = new Uint8Array(await readFile(tarball)).buffer;
  const { messages } = await publint({ pack: { tarball: data }, strict: true });
  return messages.map((message) => formatMessage(message, {}) ?? message.code);
}

type TypesReport = {
  readonly entryPoints: readonly string[];
  readonly problems: readonly unknown[];
};

/**
 * Checks the types of a package that has only an ES module. CommonJS before Node 20.19 cannot
 * require it, and TypeScript's older resolution cannot find it. Returns undefined if the package
 * has no types.
 */
export async function typesReport(tarball: string): Promise<TypesReport | undefined> {
  const analysis = await checkPackage(createPackageFromTarballData(await readFile(tarball)));
  if (!analysis.types) return undefined;
  const isSupported = (resolution: string): boolean =>
    resolution === 'bundler' || resolution === 'node16-esm';
  const missing = Object.entries(analysis.entrypoints).flatMap(([entryPoint, { resolutions }]) =>
    Object.values(resolutions)
      .filter(({ resolution, resolutionKind }) => {
        return isSupported(resolutionKind) && resolution === undefined;
      })
      .map(({ resolutionKind }) => `${entryPoint} is not found with ${resolutionKind}`),
  );
  const others = analysis.problems.filter(
    (problem) => !('resolutionKind' in problem) || isSupported(problem.resolutionKind),
  );
  return { entryPoints: Object.keys(analysis.entrypoints), problems: [...missing, ...others] };
}
