/** One stylesheet for all pages; light and dark by the visitor's setting. */
export const STYLESHEET = `
:root {
  color-scheme: light dark;
  --ground: #f4f4f7; --paper: #fff; --ink: #17181c; --quiet: #5c6070; --line: #e2e3ea;
  --accent: #334155; --accent-ink: #fff; --wash: #f1f2f6;
  --good: #0f6b45; --good-wash: #dff5ea; --warn: #8a4b00; --warn-wash: #fdf0d9; --bad: #a3152a; --bad-wash: #fde4e7;
  --shadow: 0 1px 2px rgb(20 22 40 / 6%), 0 8px 28px rgb(20 22 40 / 7%);
}
.social { --accent: #6233e8; --wash: #f2eefe; }
.store { --accent: #0c6f7c; --wash: #e8f5f6; }
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f1014; --paper: #191b21; --ink: #ecedf2; --quiet: #a0a5b6; --line: #2c2f39;
    --accent: #a5b4c8; --accent-ink: #14161b; --wash: #22252d;
    --good: #7fe0b2; --good-wash: #12352a; --warn: #f7c777; --warn-wash: #3a2a10; --bad: #ff9aa6; --bad-wash: #421a21;
    --shadow: 0 1px 2px rgb(0 0 0 / 40%), 0 8px 28px rgb(0 0 0 / 30%);
  }
  .social { --accent: #b8a2ff; --wash: #251f3a; }
  .store { --accent: #6fd3df; --wash: #14292d; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; background: var(--ground); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; -webkit-text-size-adjust: 100%; }
a { color: var(--accent); text-underline-offset: .18em; }
a.quiet { text-decoration: none; } a.quiet:hover { text-decoration: underline; }
h1 { font-size: 1.45rem; line-height: 1.25; letter-spacing: -.015em; margin: 0 0 .5rem; text-wrap: balance; }
h2 { font-size: 1.08rem; margin: 2rem 0 .6rem; }
h3 { font-size: .98rem; margin: 0; }
p { margin: 0 0 .6rem; }
.quiet { color: var(--quiet); } .small { font-size: .88rem; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.bar { display: flex; align-items: center; justify-content: space-between; gap: 1rem; padding: .9rem clamp(1rem, 4vw, 2rem); }
.brand { display: inline-flex; align-items: center; gap: .6rem; font-weight: 650; color: inherit; text-decoration: none; }
main { width: 100%; margin: 0 auto; padding: .5rem 1rem 3rem; flex: 1; }
main.narrow { max-width: 30rem; } main.wide { max-width: 46rem; } .sandbox main.wide { max-width: 64rem; } .store main.wide { max-width: 60rem; }
.foot { padding: 1rem; text-align: center; font-size: .84rem; color: var(--quiet); }
.card { background: var(--paper); border: 1px solid var(--line); border-radius: 1rem; box-shadow: var(--shadow); padding: 1.25rem; }
.message { padding: 2rem 1.5rem; text-align: center; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: .3rem; }

.consent { padding: clamp(1.25rem, 5vw, 2rem); }
.consent h1 { text-align: center; font-weight: 500; margin-bottom: 1.4rem; } .consent h1 strong { font-weight: 700; }
.pair { display: flex; align-items: center; justify-content: center; gap: .7rem; margin: .3rem 0 1.2rem; }
.wire { width: 3.2rem; border-top: 3px dotted var(--quiet); opacity: .6; }
fieldset { border: 0; padding: 0; margin: 0 0 1.4rem; min-width: 0; }
legend { padding: 0; margin-bottom: .55rem; font-size: .86rem; font-weight: 600; color: var(--quiet); }
.choice { display: flex; align-items: center; gap: .8rem; padding: .65rem .9rem; border: 1px solid var(--line); border-radius: .8rem; cursor: pointer; }
.choice + .choice { margin-top: .5rem; } .choice:hover { background: var(--wash); }
.choice:has(:checked) { border-color: var(--accent); background: var(--wash); box-shadow: inset 0 0 0 1px var(--accent); }
.who { display: grid; line-height: 1.3; } .who .quiet { font-size: .88rem; }
.avatar { border-radius: 50%; flex: none; display: block; }
input[type="radio"], input[type="checkbox"] { accent-color: var(--accent); width: 1.1rem; height: 1.1rem; margin: 0; flex: none; }
.permissions { list-style: none; margin: 0; padding: 0; border: 1px solid var(--line); border-radius: .8rem; overflow: hidden; }
.permissions li + li { border-top: 1px solid var(--line); }
.permissions label { display: flex; align-items: center; gap: .8rem; padding: .6rem .9rem; cursor: pointer; }
.actions { display: grid; grid-template-columns: 1fr 1fr; gap: .7rem; margin-bottom: 1rem; } .actions + p { margin: 0; text-align: center; }
button { font: inherit; font-weight: 600; min-height: 2.75rem; padding: .4rem 1.1rem; border-radius: .75rem; border: 1px solid var(--line); background: var(--paper); color: var(--ink); cursor: pointer; }
button:hover { background: var(--wash); }
button.primary { background: var(--accent); border-color: var(--accent); color: var(--accent-ink); } button.primary:hover { filter: brightness(1.08); }

.tabs { display: flex; gap: .3rem; overflow-x: auto; margin: 0 0 1.1rem; padding: 3px; }
.tabs a { padding: .4rem .85rem; border-radius: 2rem; text-decoration: none; color: var(--quiet); white-space: nowrap; font-weight: 550; font-size: .93rem; }
.tabs a:hover { background: var(--wash); } .tabs a[aria-current] { background: var(--accent); color: var(--accent-ink); }
.feed { display: grid; gap: .8rem; }
.profile { display: flex; gap: 1.2rem; align-items: center; margin-bottom: 1rem; } .profile p { margin: 0; } .profile h1 { margin: 0; } .profile p + p { margin-top: .3rem; }
.thread { padding: .35rem 0; }
.post { display: flex; gap: .9rem; padding: .75rem 1.25rem; position: relative; border-radius: 1rem; } .post .body { flex: 1; min-width: 0; } .post:target, .comments li:target { background: var(--wash); }
.post:not(:last-child)::before { content: ""; position: absolute; left: calc(1.25rem + 21px); top: calc(.75rem + 50px); bottom: -.55rem; border-left: 2px solid var(--line); }
.media { display: grid; gap: 4px; grid-template-columns: 1fr 1fr; margin: 0 0 .8rem; border: 1px solid var(--line); border-radius: .8rem; overflow: hidden; background: var(--wash); }
.media.of-1 { grid-template-columns: 1fr; } .media.of-3 figure:first-child { grid-row: span 2; }
.media figure { margin: 0; position: relative; display: flex; min-height: 7rem; max-height: 30rem; } .media a { display: flex; flex: 1; min-width: 0; } .media img, .media video { width: 100%; object-fit: cover; background: var(--wash); } .media video { background: #000; } .media.of-1 img { object-fit: contain; }
.media figcaption { position: absolute; left: .5rem; bottom: .5rem; padding: 0 .4rem; border-radius: .35rem; background: rgb(0 0 0 / 72%); color: #fff; font-size: .72rem; font-weight: 700; letter-spacing: .03em; cursor: help; }
.media .document a { align-items: center; justify-content: center; padding: 1rem; }
.media video + figcaption { bottom: auto; top: .5rem; }
.comments { list-style: none; margin: .8rem 0 0; padding: .7rem 0 0; border-top: 1px solid var(--line); display: grid; gap: .6rem; font-size: .93rem; } .comments li { display: flex; gap: .6rem; border-radius: .6rem; } .comments p { margin: .1rem 0 0; white-space: pre-wrap; overflow-wrap: anywhere; } .comments .name { font-weight: 650; color: inherit; text-decoration: none; }
.post header { display: flex; flex-wrap: wrap; align-items: baseline; column-gap: .5rem; }
.post .name { font-weight: 650; color: inherit; text-decoration: none; } .post .name:hover { text-decoration: underline; }
.post .text { margin: .25rem 0 .8rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.linkcard { display: grid; border: 1px solid var(--line); border-radius: .7rem; overflow: hidden; margin-bottom: .8rem; padding: .6rem .9rem; background: var(--wash); color: var(--ink); }
.linkcard .host { font-weight: 600; } .linkcard .path { color: var(--quiet); font-size: .86rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.post a:has(.linkcard) { text-decoration: none; } .post a:hover .host { text-decoration: underline; }
.numbers { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; margin: 0; font-size: .88rem; } .numbers b { color: var(--ink); font-weight: 600; font-variant-numeric: tabular-nums; }

.tag { display: inline-block; font-size: .78rem; font-weight: 600; line-height: 1.5; padding: .05rem .55rem; border-radius: 1rem; background: var(--wash); color: var(--quiet); white-space: nowrap; }
.tag.paid, .tag.fulfilled, .tag.completed, .tag.succeeded, .tag.captured { background: var(--good-wash); color: var(--good); }
.tag.pending, .tag.authorized, .tag.partially_paid, .tag.partially_refunded, .tag.partial, .tag.open { background: var(--warn-wash); color: var(--warn); }
.tag.failed, .tag.voided, .tag.cancelled { background: var(--bad-wash); color: var(--bad); }
.scroll { overflow-x: auto; padding: .4rem 1.1rem; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; } th, td { padding: .6rem .7rem .6rem 0; text-align: start; border-top: 1px solid var(--line); vertical-align: baseline; }
thead th { border: 0; color: var(--quiet); font-size: .82rem; white-space: nowrap; } tbody th, tfoot th { font-weight: 500; } .end { text-align: end; font-variant-numeric: tabular-nums; white-space: nowrap; padding-right: 0; } .end + .end { padding-left: .9rem; }
.lines { list-style: none; margin: 0; padding: .3rem 1.1rem; } .lines:empty { display: none; } .spaced { margin-bottom: .8rem; } .lines li { display: flex; align-items: center; justify-content: space-between; gap: 1rem; padding: .55rem 0; } .lines li + li { border-top: 1px solid var(--line); } .lines form { margin: 0; }

.notice { background: var(--good-wash); color: var(--good); border-radius: .8rem; padding: .7rem 1rem; font-weight: 550; }
.doors { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: .8rem; margin: 1.2rem 0; }
.door { display: flex; gap: .9rem; align-items: center; color: inherit; text-decoration: none; } .door:hover { border-color: var(--accent); } .door p { margin: 0; font-size: .9rem; }
.switches { display: grid; grid-template-columns: repeat(auto-fill, minmax(18.5rem, 1fr)); gap: .8rem; }
.switch { display: flex; flex-direction: column; gap: .6rem; margin: 0; padding: 1rem 1.1rem; } .switch p { margin: 0; font-size: .88rem; flex: 1; } .switch h3 { display: flex; justify-content: space-between; align-items: baseline; flex-wrap: wrap; gap: 0 .5rem; } .switch h3 code { font-weight: 400; white-space: nowrap; }
.fields { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; } .fields label { display: grid; gap: .15rem; font-size: .8rem; color: var(--quiet); flex: 1 1 6rem; min-width: 0; }
.fields .whole { flex-basis: 100%; }
select, input[type="number"], input[type="text"] { font: inherit; font-size: .92rem; width: 100%; min-height: 2.4rem; padding: .25rem .55rem; border: 1px solid var(--line); border-radius: .6rem; background: var(--ground); color: var(--ink); }
.switch button, .lines button { min-height: 2.4rem; }
code { font: .88em ui-monospace, "SF Mono", Menlo, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
@media (max-width: 30rem) { .post { padding: .75rem 1rem; gap: .7rem; } .post:not(:last-child)::before { left: calc(1rem + 21px); } .profile { align-items: flex-start; } .profile .avatar { width: 60px; height: 60px; } }
`;
