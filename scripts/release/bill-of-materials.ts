import { readFileSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Source } from './source-archive.ts';
import { run } from './run.ts';

/** The parts of a CycloneDX document that are looked at here. */
type Component = {
  name: string;
  version: string;
  group?: string;
  externalReferences?: { readonly type: string }[];
};
type BillOfMaterials = {
  bomFormat: string;
  serialNumber: string;
  metadata: { timestamp: string; component: Component };
  components: Component[];
};

type Lockfile = {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly link?: true }>>;
};

/** Writes what the release is made of, by the lockfile of unpacked sources; gives the name of the file. */
export function writeBill(source: Source, unpacked: string, folder: string): string {
  const name = `oddlot-${source.release.version}.cdx.json`;
  const flags = ['--sbom-format', 'cyclonedx', '--package-lock-only', '--loglevel=error'];
  const bill = JSON.parse(run('npm', ['sbom', ...flags], { cwd: unpacked })) as BillOfMaterials;
  settle(bill, source);
  checkBill(bill, unpacked, source.release.version);
  writeFileSync(join(folder, name), `${JSON.stringify(bill, undefined, 2)}\n`);
  return name;
}

/** By the commit alone: npm takes the name from the folder, the time from the clock and the number by chance. */
function settle(bill: BillOfMaterials, { root, commit }: Source): void {
  const seconds = run('git', ['show', '--no-patch', '--format=%ct', commit], { cwd: root });
  bill.metadata.timestamp = new Date(Number(seconds) * 1_000).toISOString();
  bill.metadata.component.name = 'oddlot';
  const hex = createHash('sha256').update(`oddlot ${commit}`).digest('hex');
  // A number of version 8, which is for whoever has a way of their own.
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  bill.serialNumber = `urn:uuid:${parts.join('-')}`;
  // Where a package was fetched from is a matter of who installed it.
  for (const component of bill.components) {
    component.externalReferences = (component.externalReferences ?? []).filter(
      ({ type }) => type !== 'distribution',
    );
  }
}

/** All that the lockfile names is in it. */
function checkBill(bill: BillOfMaterials, unpacked: string, version: string): void {
  if (bill.bomFormat !== 'CycloneDX') throw new Error('npm sbom did not write CycloneDX');
  const { component } = bill.metadata;
  if (component.version !== version)
    throw new Error(`the bill of materials is for version ${component.version}`);
  const listed = new Set(bill.components.map((each) => `${nameOf(each)}@${each.version}`));
  const lockfile = readFileSync(join(unpacked, 'package-lock.json'), 'utf8');
  for (const [path, entry] of Object.entries((JSON.parse(lockfile) as Lockfile).packages)) {
    const at = path.lastIndexOf('node_modules/');
    if (at < 0 || entry.link === true) continue;
    const wanted = `${path.slice(at + 'node_modules/'.length)}@${entry.version}`;
    if (!listed.has(wanted)) throw new Error(`the bill of materials does not list ${wanted}`);
  }
}

function nameOf({ group, name }: Component): string {
  return group === undefined ? name : `${group}/${name}`;
}
