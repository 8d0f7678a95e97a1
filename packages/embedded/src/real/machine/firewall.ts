import { runCommand } from '#csi/command.ts';

/** What there was before us: of these nothing is ever touched. Each by a name of its own, such as `ip filter KUBE-X`. */
export interface FirewallNames {
  readonly tables: readonly string[];
  readonly chains: readonly string[];
  readonly sets: readonly string[];
}

interface NftItem {
  readonly table?: { readonly family: string; readonly name: string };
  readonly chain?: { readonly family: string; readonly table: string; readonly name: string };
  readonly rule?: { readonly family: string; readonly table: string };
}

const families = [
  { family: 'ip', program: 'iptables' },
  { family: 'ip6', program: 'ip6tables' },
] as const;

/** kubelet, kube-router and the network plugins name their chains like this. */
const ourChain = /^(KUBE-|CNI-)/;
const ourSet = /^(inet6:)?(KUBE-|kube-router-)/;

export async function firewallNames(): Promise<FirewallNames> {
  const items = await ruleset();
  return {
    tables: items.flatMap(({ table }) => (table === undefined ? [] : [`${table.family} ${table.name}`])),
    chains: items.flatMap(({ chain }) => (chain === undefined ? [] : [`${chain.family} ${chain.table} ${chain.name}`])),
    sets: await setNames(),
  };
}

/**
 * Removes the chains, tables and sets that the node's programs made, one by one and by name. No table is flushed, no policy changed, no rule of
 * others removed. Returns how many things went.
 */
export async function removeFirewall(before: FirewallNames): Promise<number> {
  let count = 0;
  for (const { family, program } of families) {
    const tables = new Set(
      (await firewallNames()).chains
        .filter((name) => name.startsWith(`${family} `) && ourChain.test(name.split(' ')[2]!))
        .map((name) => name.split(' ')[1]!),
    );
    for (const table of tables) count += await removeChains(program, family, table, before);
  }
  for (const name of (await setNames()).filter((name) => ourSet.test(name) && !before.sets.includes(name))) {
    // A set that another one lists goes in the next round.
    if (await succeeds('ipset', ['destroy', name])) count++;
  }
  for (const name of (await setNames()).filter((name) => ourSet.test(name) && !before.sets.includes(name))) {
    if (await succeeds('ipset', ['destroy', name])) count++;
  }
  return count + (await removeTables(before));
}

/** Jumps first, then the content of our chains, then the chains. */
async function removeChains(program: string, family: string, table: string, before: FirewallNames): Promise<number> {
  const lines = (await runCommand(program, ['-w', '-t', table, '-S'])).split('\n');
  const isOurs = (chain: string | undefined) =>
    chain !== undefined && ourChain.test(chain) && !before.chains.includes(`${family} ${table} ${chain}`);
  const ours = lines.flatMap((line) => {
    const chain = /^-N (\S+)$/.exec(line)?.[1];
    return chain !== undefined && isOurs(chain) ? [chain] : [];
  });
  for (const line of lines) {
    const [, chain] = /^-A (\S+) /.exec(line) ?? [];
    const target = /-[jg] (\S+)/.exec(line)?.[1];
    if (isOurs(chain) || !isOurs(target)) continue;
    await runCommand('/bin/sh', ['-c', `exec ${program} -w -t ${table} ${line.replace('-A', '-D')}`]).catch(() => undefined);
  }
  for (const chain of ours) await runCommand(program, ['-w', '-t', table, '-F', chain]);
  for (const chain of ours) await runCommand(program, ['-w', '-t', table, '-X', chain]).catch(() => undefined);
  return ours.length;
}

/** kube-proxy's tables, and those that are new and empty: iptables and the bridge plugin leave such. */
async function removeTables(before: FirewallNames): Promise<number> {
  const items = await ruleset();
  const hasRules = new Set(items.flatMap(({ rule }) => (rule === undefined ? [] : [`${rule.family} ${rule.table}`])));
  const ours = items.flatMap(({ table }) => {
    if (table === undefined) return [];
    const name = `${table.family} ${table.name}`;
    if (before.tables.includes(name)) return [];
    return table.name === 'kube-proxy' || !hasRules.has(name) ? [table] : [];
  });
  for (const { family, name } of ours) await runCommand('nft', ['delete', 'table', family, name]);
  return ours.length;
}

async function ruleset(): Promise<readonly NftItem[]> {
  // Sets that ipset made show up as an error in the list of rules; names are all that is wanted here.
  const text = await runCommand('nft', ['-j', 'list', 'ruleset']);
  return (JSON.parse(text) as { readonly nftables: readonly NftItem[] }).nftables;
}

async function setNames(): Promise<string[]> {
  return (await runCommand('ipset', ['list', '-n'])).split('\n').filter((name) => name !== '');
}

function succeeds(program: string, args: readonly string[]): Promise<boolean> {
  return runCommand(program, args).then(
    () => true,
    () => false,
  );
}
