<p class="way"><a href="{{BACK}}"><bdi>{{NAME}}</bdi></a></p>
<h1>Chapters</h1>
{{#DONE_SAVED}}<p class="notice" role="status">The chapters are saved.</p>
{{/DONE_SAVED}}{{#HAS_PROBLEMS}}<div class="problem" role="alert" tabindex="-1" autofocus><p>Nothing has been saved yet:</p><ul>
{{/HAS_PROBLEMS}}{{#SUMMARY}}<li><a href="#{{FIELD}}">{{PROBLEM}}</a></li>
{{/SUMMARY}}{{#HAS_PROBLEMS}}</ul></div>
{{/HAS_PROBLEMS}}{{#PROBLEM}}<p class="problem" role="alert">{{PROBLEM}}</p>
{{/PROBLEM}}{{#OVERTAKEN}}<div class="problem" role="alert"><p>Another user changed these chapters while you were editing them. Your changes are not saved yet, but they are still in the form. These chapters are saved now:</p>
{{#NOTHING}}<p>No chapter.</p>
{{/NOTHING}}<ul>
{{#SAVED}}<li><bdi>{{LINE}}</bdi></li>
{{/SAVED}}</ul>
<p>If you save now, the form replaces them.</p></div>
{{/OVERTAKEN}}<p>Viewers see the chapters in the bar of the player, and choose one from a list. A chapter lasts until the next one begins.{{#LONG}} The video lasts {{DURATION}}.{{/LONG}}</p>
{{#PLAYER}}{{>STAGE}}
{{/PLAYER}}<form method="post" action="{{ACTION}}" accept-charset="utf-8">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<input type="hidden" name="edition" value="{{EDITION}}">
<ol class="chapters">
{{#ROW}}<li><p><label for="time-{{NUMBER}}">Begins at<span class="unseen">, chapter {{NUMBER}}</span></label>
<input id="time-{{NUMBER}}" name="time-{{NUMBER}}" value="{{TIME}}" placeholder="1:02" maxlength="20" autocomplete="off" spellcheck="false" dir="ltr"{{#TIME_WRONG}} aria-invalid="true" aria-describedby="time-{{NUMBER}}-problem"{{/TIME_WRONG}}>
<button type="button" class="link" data-position="time-{{NUMBER}}" hidden>Use current time<span class="unseen"> for chapter {{NUMBER}}</span></button>
{{#TIME_PROBLEM}}<span class="field-problem" id="time-{{NUMBER}}-problem">{{PROBLEM}}</span>{{/TIME_PROBLEM}}</p>
<p><label for="title-{{NUMBER}}">Title<span class="unseen">, chapter {{NUMBER}}</span></label>
<input id="title-{{NUMBER}}" name="title-{{NUMBER}}" value="{{TITLE}}" maxlength="256" autocomplete="off" dir="auto"{{#TITLE_WRONG}} aria-invalid="true" aria-describedby="title-{{NUMBER}}-problem"{{/TITLE_WRONG}}>
{{#TITLE_PROBLEM}}<span class="field-problem" id="title-{{NUMBER}}-problem">{{PROBLEM}}</span>{{/TITLE_PROBLEM}}</p>
{{#DELETABLE}}<label class="choice"><input type="checkbox" name="delete-{{NUMBER}}" value="1"{{#DELETED}} checked{{/DELETED}}> Delete<span class="unseen"> chapter {{NUMBER}}</span></label>{{/DELETABLE}}</li>
{{/ROW}}</ol>
<p class="meta">Empty rows are left out.</p>
<p class="answers"><button class="primary">Save the chapters</button>
{{#MORE}}<button name="more" value="1">More rows</button>
{{/MORE}}<a class="button" href="{{BACK}}">Cancel</a></p>
</form>
