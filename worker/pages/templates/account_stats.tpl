<p class="meta"><a href="{{LIST}}">Media of <bdi>{{ACCOUNT}}</bdi></a></p>
<h1>Statistics</h1>
{{#NOTHING}}<p class="empty">No page has loaded a player with a media of this account yet. Views are counted where media are embedded, and on their own pages.</p>
{{/NOTHING}}{{#COUNTED}}<section aria-labelledby="all"><h2 id="all">Since counting began</h2>
<dl class="numbers">
{{#NUMBER}}<div><dt>{{NAME}}</dt><dd>{{VALUE}}</dd></div>
{{/NUMBER}}</dl>
<p class="meta">A load is a player on a page, and a play is a load that was played. Media that were deleted stay in these sums.</p></section>
{{>BY_DAY}}
<section aria-labelledby="most"><h2 id="most">Played most</h2>
<table class="figures"><thead><tr><th scope="col">Media</th><th scope="col">Plays</th><th scope="col">Hours</th></tr></thead>
<tbody>
{{#FILM}}<tr><th scope="row"><a href="{{PATH}}"><bdi>{{NAME}}</bdi></a></th><td>{{PLAYS}}</td><td>{{HOURS}}</td></tr>
{{/FILM}}</tbody></table></section>
{{/COUNTED}}
