import { spawn } from 'node:child_process';

/**
 * Runs all static checks in parallel (`npm run check`). Each check prints its findings when it
 * finishes, and the command waits for all checks.
 */
const CHECKS = ['tidy', 'lint', 'format:check', 'types'];

function check(name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn('npm', ['run', '--silent', name], { stdio: ['ignore', 'pipe', 'pipe'] });
    const output: Buffer[] = [];
    const collect = (bytes: Buffer) => void output.push(bytes);
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('close', (code) => {
      process.stdout.write(Buffer.concat(output));
      if (code !== 0) process.stdout.write(`${name} failed. Details: npm run ${name}\n`);
      resolve(code === 0);
    });
  });
}

const passed = await Promise.all(CHECKS.map(check));
if (passed.includes(false)) process.exitCode = 1;
