<section aria-labelledby="days"><h2 id="days">Day by day</h2>
{{#QUIET}}<p class="empty">There were no views in these {{LENGTH}}.</p>
{{/QUIET}}{{#DAYS}}{{>PLAYS_CHART}}{{>HOURS_CHART}}<details><summary>These days as a table</summary>
<table class="figures by-day"><thead><tr><th scope="col">Day (UTC)</th><th scope="col">Loads</th><th scope="col">Plays</th><th scope="col">Hours</th>{{#VISITORS_NAME}}<th scope="col">Visitors</th>{{/VISITORS_NAME}}</tr></thead>
<tbody>
{{#DAY}}<tr><th scope="row">{{DATE}}</th><td>{{LOADS}}</td><td>{{PLAYS}}</td><td>{{HOURS}}</td>{{#VISITORS}}<td>{{COUNT}}</td>{{/VISITORS}}</tr>
{{/DAY}}</tbody></table></details>
<p><a class="button" href="{{CSV}}" download>Download as CSV</a></p>
{{/DAYS}}</section>
