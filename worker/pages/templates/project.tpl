<p class="way"><a href="{{LIST}}">Projects of <bdi>{{ACCOUNT}}</bdi></a></p>
<h1>Edit <bdi>{{NAME}}</bdi></h1>
{{#HAS_PROBLEMS}}<div class="problem" role="alert" tabindex="-1" autofocus><p>Nothing has been saved yet:</p><ul>
{{/HAS_PROBLEMS}}{{#SUMMARY}}<li><a href="#{{FIELD}}">{{PROBLEM}}</a></li>
{{/SUMMARY}}{{#HAS_PROBLEMS}}</ul></div>
{{/HAS_PROBLEMS}}{{#PROBLEM}}<p class="problem" role="alert">{{PROBLEM}}</p>
{{/PROBLEM}}{{#OVERTAKEN}}<div class="problem" role="alert"><p>Another user changed this project while you were editing it. Your changes are not saved yet, but they are still in the form. These values are saved now:</p>
<dl>
{{#SAVED}}<dt>{{FIELD}}</dt>
<dd><bdi>{{VALUE}}</bdi></dd>
{{/SAVED}}</dl>
<p>If you save now, the form replaces it.</p></div>
{{/OVERTAKEN}}<form method="post" action="{{ACTION}}" accept-charset="utf-8">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<input type="hidden" name="edition" value="{{EDITION}}">
<p><label for="name">Name</label>
<input id="name" name="name" value="{{ENTERED}}" required maxlength="2000" autocomplete="off" dir="auto"{{#NAME_WRONG}} aria-invalid="true" aria-describedby="name-problem"{{/NAME_WRONG}}>
{{#NAME_PROBLEM}}<span class="field-problem" id="name-problem">{{PROBLEM}}</span>{{/NAME_PROBLEM}}</p>
<p><label for="description">Description</label>
<textarea id="description" name="description" rows="{{ROWS}}" maxlength="8000" dir="auto" aria-describedby="description-hint{{#DESCRIPTION_WRONG}} description-problem{{/DESCRIPTION_WRONG}}"{{#DESCRIPTION_WRONG}} aria-invalid="true"{{/DESCRIPTION_WRONG}}>{{DESCRIPTION}}</textarea>
<span class="meta" id="description-hint">HTML is allowed</span>
{{#DESCRIPTION_PROBLEM}}<span class="field-problem" id="description-problem">{{PROBLEM}}</span>{{/DESCRIPTION_PROBLEM}}</p>
<p class="answers"><button class="primary">Save the changes</button>
<a class="button" href="{{LIST}}">Cancel</a></p>
</form>
<p class="links"><a href="{{MEDIAS}}">Media of this project</a> <a href="{{PATH}}/delete">Delete this project</a></p>
