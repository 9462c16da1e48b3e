<p class="way"><a href="{{LIST}}">Media of <bdi>{{ACCOUNT}}</bdi></a></p>
<h1>Statistics</h1>
{{#NOTHING}}<p class="empty">Nobody has loaded a video of this account yet. Views are counted wherever videos are embedded, and on their own pages.</p>
{{/NOTHING}}{{#COUNTED}}<nav aria-label="Days"><ul class="tabs">
{{#PERIOD}}<li>{{#HERE}}<span aria-current="page">{{NAME}}</span>{{/HERE}}{{#OTHER}}<a href="{{PATH}}">{{NAME}}</a>{{/OTHER}}</li>
{{/PERIOD}}</ul></nav>
<section aria-labelledby="all"><h2 id="all">Last {{LENGTH}} days</h2>
<dl class="numbers">
{{#NUMBER}}<div><dt>{{NAME}}</dt><dd>{{VALUE}}</dd><dd class="change">{{CHANGE}}</dd></div>
{{/NUMBER}}</dl>
<p class="meta">Compared with the {{LENGTH}} days before. Since counting began: {{ALL_PLAYS}}, {{ALL_HOURS}} hours watched.</p>
<p class="meta">A load is a player on a page, and a play is a load that was played. Videos that were deleted stay in these sums.</p></section>
{{>BY_DAY}}
{{#MOST}}<section aria-labelledby="most"><h2 id="most">Played most in these days</h2>
<table class="figures"><thead><tr><th scope="col">Media</th><th scope="col">Plays</th><th scope="col">Hours</th></tr></thead>
<tbody>
{{#FILM}}<tr><th scope="row"><a href="{{PATH}}"><bdi>{{NAME}}</bdi></a></th><td>{{PLAYS}}</td><td>{{HOURS}}</td></tr>
{{/FILM}}</tbody></table></section>
{{/MOST}}{{/COUNTED}}
